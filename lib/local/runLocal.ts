// `sluice demo`: builds and starts the local run, and ends it on a signal or with its parent.
import { enableCompileCache } from 'node:module';
import { pathToFileURL } from 'node:url';
import { findConfig } from '../config/load.ts';
import type { Mode } from '../model/ownership.ts';
import { type Build, build } from './build.ts';
import { startBoard } from './console/board.ts';
import { endSignal } from './endSignal.ts';
import type { StartPage } from './page.ts';

export interface LocalFlags {
  /** Run the scenario on the simulated fleet and exit. */
  readonly once?: boolean;
  readonly json?: boolean;
  readonly kubeconfig?: string;
  readonly native: Mode | 'detect';
  /** Absent: from the configuration, else `own`. */
  readonly paced?: Mode;
  /** Configuration file; else SLUICE_CONFIG, else ./sluice.yaml if it exists. */
  readonly config?: string;
  readonly projectRules?: boolean;
  readonly port: number;
  readonly startPage: StartPage;
}

/** Exit status of an interrupted program: 128 + SIGINT. */
const interrupted = 130;

/** Returns the exit status. */
export async function runLocal(flags: LocalFlags): Promise<number> {
  if (flags.json && !flags.once) throw new Error('--json prints the figures of --once: add --once');
  if (flags.once && flags.kubeconfig) throw new Error('--once runs on the simulated fleet: leave out --kubeconfig');
  const signal = endSignal();
  try {
    return await run(flags, signal);
  } catch (error) {
    if (signal.aborted) return flags.once ? interrupted : 0;
    throw error;
  }
}

async function run(flags: LocalFlags, signal: AbortSignal): Promise<number> {
  const say = (text: string) => console.error(text);
  const found = findConfig({ file: flags.config, environment: process.env, folder: process.cwd() });
  if (found) say(`configuration: ${found.file}`);
  if (flags.kubeconfig !== undefined) {
    // Before the build, so that the user gets this error quickly.
    const { checkServer } = await import('./checkServer.ts');
    await checkServer(flags.kubeconfig);
  }
  if (flags.once) {
    const built = await build({ onBuild: say, signal });
    const { once } = await load(built);
    return once({ build: built, json: flags.json ?? false, say, print: (line) => console.log(line), signal });
  }
  const end = () => void process.kill(process.pid, 'SIGINT');
  const board = startBoard({ input: process.stdin, out: process.stdout, say, environment: process.env, end });
  try {
    const built = await build({ onBuild: (step) => board.starting({ step, done: 0, of: 0 }), signal });
    const { live } = await load(built);
    return await live({
      build: built,
      board,
      ...(flags.kubeconfig === undefined ? {} : { kubeconfig: flags.kubeconfig }),
      native: flags.native,
      ...(flags.paced === undefined ? {} : { paced: flags.paced }),
      ...(found ? { config: found.config } : {}),
      ...(flags.projectRules ? { projectRules: true } : {}),
      port: flags.port,
      startPage: flags.startPage,
      signal,
    });
  } finally {
    await board.stop();
  }
}

function load(built: Build): Promise<typeof import('./program.ts')> {
  enableCompileCache(built.compileCache);
  return import(pathToFileURL(built.program).href);
}
