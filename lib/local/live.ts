// `sluice start`: what happens, live in the terminal and on a local page, until SIGINT or SIGTERM.
import { systemClock } from '../adapters/clock.ts';
import { createApiClient } from '../adapters/kubernetes/apiClient.ts';
import { credentialsFromFile } from '../adapters/kubernetes/credentials.ts';
import { detectOwner } from '../adapters/kubernetes/detectOwner.ts';
import { findInTreeController } from '../adapters/kubernetes/ownership.ts';
import type { Config } from '../config/schema.ts';
import type { ClusterConnection } from '../contract.ts';
import type { Mode } from '../model/ownership.ts';
import { readHeartbeat } from '../state/liveness.ts';
import { createProgressReader } from '../view/readModel.ts';
import type { Build } from './build.ts';
import { deviceTaintRule } from './cluster/builders.ts';
import { startConsole } from './console/server.ts';
import { shareReads } from './console/shareReads.ts';
import { startTerminal } from './console/terminal.ts';
import { drivers } from './simulation.ts';
import { type Started, start } from './start.ts';

export interface LiveOptions {
  readonly build: Build;
  readonly kubeconfig?: string;
  /** `detect`: `own` where nobody else acts, else `shadow`. */
  readonly native: Mode | 'detect';
  /** Absent: as the configuration says, else `own`. */
  readonly paced?: Mode;
  /** sluice.yaml; flags come before it. */
  readonly config?: Config;
  readonly projectRules?: true;
  /** Of the local page; 0 takes a free one. */
  readonly port: number;
  readonly signal: AbortSignal;
}

/** The exit status. */
export async function live(options: LiveOptions): Promise<number> {
  const say = (text: string) => console.error(text);
  const started = await start({
    build: options.build,
    ...(options.kubeconfig === undefined ? {} : { kubeconfig: options.kubeconfig }),
    ...(options.projectRules ? { projectRules: true } : {}),
    ...(options.config ? { config: options.config } : {}),
    modes: async (connection, chosen) => {
      const native = options.native === 'detect' ? (chosen.native ?? 'detect') : options.native;
      return {
        native: await decideNative(connection, { ...options, native }, say),
        paced: options.paced ?? chosen.paced ?? 'own',
        ...(native === 'own' ? { ignoresInTree: true } : {}),
      };
    },
    onProgress: say,
  });
  try {
    await show(started, options);
    return 0;
  } finally {
    await started.stop();
  }
}

/** Never two owners: where the in-tree controller acts, or nobody can tell, native rules and slice taints are only watched. */
async function decideNative(
  connection: ClusterConnection,
  { native, kubeconfig, signal }: LiveOptions,
  say: (text: string) => void,
): Promise<Mode> {
  // Of the simulated fleet it is known.
  if (kubeconfig === undefined) return native === 'detect' ? 'own' : native;
  if (native === 'shadow' || native === 'off' || connection.auth.kind !== 'file')
    return native === 'off' ? 'off' : 'shadow';
  // Who has decided is only told what can be seen at once.
  if (native === 'detect') say('looking for an in-tree controller, for ten seconds at most');
  const client = createApiClient(connection, credentialsFromFile(connection.auth.path));
  signal.addEventListener('abort', client.close);
  const found =
    native === 'detect' ? await detectOwner(client, systemClock) : await findInTreeController(client, Date.now());
  client.close();
  if (found.kind === 'NotSeen') return 'own';
  const why =
    found.kind === 'Active'
      ? `the in-tree controller is active (${found.evidence})`
      : `nobody can tell who evicts here (${found.why})`;
  if (native === 'own') say(`--own-native: acting although ${why}`);
  else say(`shadow: ${why}; native rules and slice taints are only watched. --own-native overrides this.`);
  return native === 'own' ? 'own' : 'shadow';
}

async function show(started: Started, options: LiveOptions): Promise<void> {
  const { installation, simulation } = started;
  const read = shareReads(createProgressReader(installation.state, { now: Date.now, modes: started.modes }));
  const page = await startConsole({ read, port: options.port });
  console.error(`page: ${page.url}   logs: ${started.logs.path}   stop: Ctrl-C`);
  const footer = [`page ${page.url}`, 'Ctrl-C stops everything'];
  const terminal = startTerminal({ read, out: process.stdout, environment: process.env, footer });
  try {
    if (simulation) await taintOneDriver(started, options.signal);
    await ended(options.signal);
  } finally {
    await terminal.stop();
    await page.stop();
  }
}

/** The rule of the demonstration: everything on one driver's devices has to go, ten pods a second. */
async function taintOneDriver({ installation, simulation }: Started, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && (await readHeartbeat(installation.state)) === undefined) await sleep(100);
  const taint = {
    key: 'example.com/unhealthy',
    value: 'firmware',
    effect: 'NoExecute',
    timeAdded: new Date().toISOString().replace(/\.\d+Z$/, 'Z'),
  } as const;
  simulation?.cluster.seed(
    deviceTaintRule({ name: 'unhealthy-gpus', deviceSelector: { driver: drivers.main }, taint }),
  );
}

function ended(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

function sleep(duration: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, duration));
}
