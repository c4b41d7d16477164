// `sluice demo --once`: runs the scenario, prints its figures on the last line; status 0 only if all requirements hold.

import { allOwned } from '../model/ownership.ts';
import type { Build } from './build.ts';
import { describeFleet } from './cluster/fleet.ts';
import type { Figures } from './scenario/figures.ts';
import { requirements } from './scenario/figures.ts';
import { runScenario, scenarioFleet } from './scenario/scenario.ts';
import { startSimulation } from './simulation.ts';
import { type Started, start } from './start.ts';

export interface OnceOptions {
  readonly build: Build;
  readonly json: boolean;
  /** Prints progress; with `json`, the last line of standard output has only the figures. */
  readonly say: (text: string) => void;
  readonly print: (line: string) => void;
  readonly signal: AbortSignal;
}

/** Returns the exit status. */
export async function once(options: OnceOptions): Promise<number> {
  const began = Date.now();
  const say = (text: string) => options.say(`${((Date.now() - began) / 1000).toFixed(1).padStart(6)} s  ${text}`);
  const fleet = describeFleet(scenarioFleet);
  const simulation = await startSimulation({ manifests: fleet.manifests });
  let started: Started | undefined;
  try {
    started = await start({
      build: options.build,
      cluster: simulation,
      modes: async () => allOwned,
      onProgress: say,
    });
    const aborted = new Promise<never>((_, reject) =>
      options.signal.addEventListener('abort', () => reject(new Error('interrupted')), { once: true }),
    );
    const run = runScenario({ cluster: simulation.cluster, fleet, state: started.installation.state, onProgress: say });
    const figures = await Promise.race([run, aborted]);
    if (started.logs.errors() > 0)
      say(`${started.logs.errors()} errors in ${started.logs.path}, last: ${started.logs.lastError()}`);
    options.print(options.json ? JSON.stringify(figures) : describe(figures));
    return figures.ok ? 0 : 1;
  } finally {
    await started?.stop();
    await simulation.stop();
  }
}

function describe(figures: Figures): string {
  const { limiter, firstDeleteMs } = figures;
  return [
    `${figures.ok ? 'ok' : 'NOT ok'}: ${figures.evicted} of ${figures.shouldEvict} pods evicted, ${figures.missed} missed, ${figures.wronglyEvicted} wrong, ${figures.duplicateDeletes} deleted twice`,
    `rate ${limiter.achievedPerSecond}/s of ${limiter.ratePerSecond}/s, ${limiter.windowsAboveBound} of ${limiter.windowsChecked} windows above the bound`,
    `first delete after ${firstDeleteMs.p50} ms (p50), ${firstDeleteMs.p99} ms (p99); required below ${requirements.firstDeleteMs} ms (p50)`,
    `last delete ${figures.stopToLastDeleteMs} ms after the stop; required below ${requirements.stopToLastDeleteMs} ms`,
  ].join('\n');
}
