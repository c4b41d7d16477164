// Measures peak memory of the real handlers in processes sized as in AWS Lambda, with a generated cluster.
import path from 'node:path';
import { environmentNames } from '../../lib/contract.ts';
import { build } from '../../lib/local/build.ts';
import { functionEnvironment, localClusterName } from '../../lib/local/installation.ts';
import { openKubeconfig } from '../../lib/local/kubeconfig.ts';
import { temporaryFolder } from '../../lib/local/temporaryFolder.ts';
import { startGenerator } from './generator.ts';
import { type BenchInstallation, startBenchInstallation } from './installation.ts';
import { largeRule, observerPolicy } from './largeCluster.ts';
import { devicesPerNode, largeDriver, sliceOf } from './manifests.ts';
import { isAbove, tableOf } from './report.ts';

export interface FunctionsOptions {
  readonly pods: number;
  readonly rules: number;
  /** Duration in seconds of phases without a natural end. */
  readonly evictSeconds: number;
  /** Minutes after which no further phase is started. */
  readonly minutes: number;
  readonly say: (text: string) => void;
}

const tick = 1000;
/** Ticks without messages after which all work counts as done. */
const quietTicks = 4;
const gaugesEvery = 10 * 60_000;
/** Share of pods and claims sent as messages of an initial list, at most `mostListed`; other rows are written directly. */
const listedShare = 0.05;
const mostListed = 1000;
/** Timeout in seconds of phases that wait until all work is done. */
const phaseSeconds = 300;
/** Number of slices whose devices are all tainted at once, as in a suspected observer failure. */
const taintedSlices = 20;

export interface Figures {
  readonly text: string;
  /** Whether every function stayed within its memory limit. */
  readonly isBounded: boolean;
}

export async function measureFunctions({
  pods,
  rules,
  evictSeconds,
  minutes,
  say,
}: FunctionsOptions): Promise<Figures> {
  const began = Date.now();
  const seconds = () => Math.round((Date.now() - began) / 1000);
  const folder = temporaryFolder('sluice-scale-');
  const kubeconfig = path.join(folder.path, 'kubeconfig');
  const built = await build();
  const generator = await startGenerator({ pods, rules: rules - 1, kubeconfig });
  const slices = Math.ceil(pods / devicesPerNode);
  say(`${seconds()} s: the simulated cluster has ${pods} pods, ${slices} slices, ${rules} rules`);
  const cluster = await openKubeconfig(kubeconfig);
  const own = { ...cluster.connection, native: 'own', inTree: 'ignore' } as const;
  const settings = { projectRules: false };
  const environment = functionEnvironment({ cluster: { ...cluster, connection: own }, settings });
  const said = new Map<string, number>();
  const installation = await startBenchInstallation({
    build: built,
    environment,
    processes: { ingest: 2, evaluate: 2, evict: 4 },
    onError(stage, line) {
      const text = `${stage}: ${line.slice(0, 600)}`;
      const kind = text.slice(0, 160);
      said.set(kind, (said.get(kind) ?? 0) + 1);
      if (said.get(kind) === 1 && said.size < 30) say(text);
    },
  });
  generator.begin(installation);
  const phases: [string, number][] = [];
  let isWhole = true;
  const phase = async (name: string, work: () => Promise<unknown>) => {
    const from = seconds();
    if (from > minutes * 60) {
      isWhole = false;
      return void phases.push([`${name}: left out after ${minutes} minutes`, 0]);
    }
    await work();
    phases.push([name, seconds() - from]);
    say(`${seconds()} s: ${name} took ${seconds() - from} s, ${generator.deleted()} pods deleted`);
    say(tableOf(installation.measured()));
  };
  try {
    const left = (most: number) => Math.max(0, Math.min(most, (began + minutes * 60_000 - Date.now()) / 1000));
    const quiet = (only: readonly string[]) => untilQuiet(installation, { most: left(phaseSeconds), say, only });
    const listed = pods - Math.min(mostListed, Math.ceil(pods * listedShare));
    await phase(`rows of ${listed} pods, written past ingest`, async () => {
      say(`${await generator.seed(listed)} rows`);
    });
    await phase(`a first list of ${pods - listed} pods`, async () => {
      await generator.list(listed);
      await quiet(['ingest', 'evaluate']);
    });
    await phase('a rule over a tenth of all pods', async () => {
      await generator.store([largeRule(largeDriver)]);
      await quiet(['ingest', 'evaluate']);
    });
    await phase('its evictions', () => sleep(left(evictSeconds) * 1000));
    await phase('an observer in doubt', async () => {
      await generator.store([observerPolicy]);
      const taints = [{ key: 'example.com/unhealthy', effect: 'NoSchedule' }];
      const tainted = Array.from({ length: taintedSlices }, (_, i) => sliceOf(slices - 1 - i, pods, taints));
      await generator.store(tainted);
      await quiet(['ingest', 'evaluate']);
    });
    const event = { cluster: localClusterName };
    const once: typeof installation.runOnce = async (...of) => {
      const result = await installation.runOnce(...of);
      if (result.kind === 'Failed') isWhole = false;
      return result;
    };
    await phase('widget', () => once('widget', 'widget', { event }));
    await phase('sweep with gauges', () => {
      const clockAhead = gaugesEvery - (Date.now() % gaugesEvery) + 1000;
      return once('sweep', 'sweep (gauges)', { event, clockAhead });
    });
    await phase('sweep that switches a mode off', () => {
      const connection = { ...cluster.connection, native: 'off' as const };
      const clusters = JSON.stringify({ [localClusterName]: connection });
      return once('sweep', 'sweep (mode off)', {
        event,
        environment: { [environmentNames.clusters]: clusters },
      });
    });
    await phase('sweep that switches it on', () => once('sweep', 'sweep (mode on)', { event }));
    const dead = await installation.deadLetters();
    const text = [
      tableOf(installation.measured()),
      '',
      ...phases.map(([name, took]) => `${name}: ${took} s`),
      `dead letters: ${dead.join(', ') || 'none'}; pods deleted: ${generator.deleted()}`,
      `${pods} pods, ${pods} claims, ${slices} slices, ${rules} rules: ${seconds()} s in all`,
    ].join('\n');
    return { text, isBounded: isWhole && dead.length === 0 && ![...installation.measured().values()].some(isAbove) };
  } finally {
    generator.stop();
    await installation.stop();
    cluster.stop();
    folder.remove();
  }
}

async function untilQuiet(
  installation: BenchInstallation,
  by: { readonly most: number; readonly say: (text: string) => void; readonly only?: readonly string[] },
): Promise<void> {
  const end = Date.now() + by.most * 1000;
  for (let quiet = 0, i = 0; quiet < quietTicks && Date.now() < end; i++) {
    await sleep(tick);
    const depths = await installation.depths();
    const left = Object.entries(depths).filter(([stage]) => by.only?.includes(stage) ?? true);
    const isStarted = (installation.measured().get('ingest')?.invocations ?? 0) > 0;
    quiet = isStarted && left.every(([, depth]) => depth === 0) ? quiet + 1 : 0;
    if (i % 15 === 14) by.say(`  waiting: ${JSON.stringify(depths)}`);
  }
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
