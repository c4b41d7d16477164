// `sluice demo`: shows evictions live in the terminal and on a local page, until SIGINT or SIGTERM.
import { systemClock } from '../adapters/clock.ts';
import { createApiClient } from '../adapters/kubernetes/apiClient.ts';
import { credentialsFromFile } from '../adapters/kubernetes/credentials.ts';
import { detectOwner } from '../adapters/kubernetes/detectOwner.ts';
import { findInTreeController } from '../adapters/kubernetes/ownership.ts';
import type { Config } from '../config/schema.ts';
import type { ClusterConnection } from '../contract.ts';
import type { Mode } from '../model/ownership.ts';
import type { State } from '../state/state.ts';
import { createProgressReader, type ProgressReader } from '../view/readModel.ts';
import type { Chapter, ScreenSnapshot } from '../view/screenSnapshot.ts';
import type { Build } from './build.ts';
import type { Board } from './console/board.ts';
import { demoManifests, populateDemo, startDemo } from './demo/demo.ts';
import { localClusterName } from './installation.ts';
import { createKnown, type Known } from './known.ts';
import type { StartPage } from './page.ts';
import { startSimulation } from './simulation.ts';
import { type Started, type StartOptions, start } from './start.ts';

export interface LiveOptions {
  readonly build: Build;
  readonly board: Board;
  readonly kubeconfig?: string;
  /** `detect`: `own` if no other controller acts, else `shadow`. */
  readonly native: Mode | 'detect';
  /** Absent: from the configuration, else `own`. */
  readonly paced?: Mode;
  /** From sluice.yaml; flags take precedence. */
  readonly config?: Config;
  readonly projectRules?: true;
  /** Port of the console; 0: any free port. */
  readonly port: number;
  readonly startPage: StartPage;
  readonly signal: AbortSignal;
}

/** Returns the exit status. */
export async function live(options: LiveOptions): Promise<number> {
  return options.kubeconfig === undefined ? playDemo(options) : follow(options, options.kubeconfig);
}

/** Resource to look at in each act. */
const kindOfAct = { 1: 'pacedtaintrules', 2: 'devicetaintslices', 3: 'devicetaintrules' } as const;

async function playDemo(options: LiveOptions): Promise<number> {
  const { board, signal } = options;
  const simulation = await startSimulation({
    manifests: demoManifests,
    kubelet: { startDelay: 600, terminationDelay: 900 },
  });
  const workloads = populateDemo(simulation);
  try {
    return await run(options, simulation, ({ read, known, state, footer }) => {
      const config = `export KUBECONFIG=${simulation.kubeconfig}`;
      // Below each frame on a screen; without a terminal, this is the only output of it before the end.
      board.address(config);
      const keys = 't taint  p pause  r/R rate  a approve  w why  ? help  q quit';
      const lines = (act: Chapter['act']) => [
        keys,
        ...footer,
        config,
        `kubectl get ${kindOfAct[act]},evictionpolicies`,
      ];
      const { redraw } = board;
      const demo = startDemo({ simulation, state, clock: systemClock, known, read, footer: lines, redraw, signal });
      board.onKey(demo.onKey);
      return { snapshot: demo.snapshot, stop: demo.stop };
    });
  } finally {
    workloads.stop();
    await simulation.stop();
  }
}

/** Shows a real cluster, without the story and without keys that change anything. */
function follow(options: LiveOptions, kubeconfig: string): Promise<number> {
  return run(options, { kubeconfig }, ({ read, known, footer }) => ({
    async snapshot() {
      const progress = await read();
      const loading = known.loading(progress.watcher.isAlive);
      return { at: progress.at, progress, footer: ['q quit', ...footer], ...(loading ? { loading } : {}) };
    },
    stop: async () => {},
  }));
}

interface Running {
  readonly read: ProgressReader;
  readonly known: Known;
  readonly state: () => Promise<State>;
  /** Addresses to show below a frame. */
  readonly footer: readonly string[];
}

interface Shown {
  readonly snapshot: () => Promise<ScreenSnapshot>;
  stop(): Promise<void>;
}

async function run(
  options: LiveOptions,
  cluster: StartOptions['cluster'],
  begin: (running: Running) => Shown,
): Promise<number> {
  const { board } = options;
  const known = createKnown();
  const started = await start({
    build: options.build,
    cluster,
    ...(options.projectRules ? { projectRules: true } : {}),
    ...(options.config ? { config: options.config } : {}),
    modes: async (connection, chosen) => {
      const native = options.native === 'detect' ? (chosen.native ?? 'detect') : options.native;
      return {
        native: await decideNative(connection, { ...options, native }, board.say),
        paced: options.paced ?? chosen.paced ?? 'own',
        ...(native === 'own' ? { ignoresInTree: true } : {}),
      };
    },
    onProgress: (step) => board.starting({ step, done: 0, of: 0 }),
    onLog: known.hear,
  });
  try {
    await show(started, { options, known, begin, kubeconfig: cluster.kubeconfig });
    return 0;
  } finally {
    await started.stop();
  }
}

async function show(
  { installation, modes, logs }: Started,
  by: {
    readonly options: LiveOptions;
    readonly known: Known;
    readonly begin: (running: Running) => Shown;
    readonly kubeconfig: string;
  },
): Promise<void> {
  const { options, known, begin, kubeconfig } = by;
  const { board, port, signal } = options;
  const { state } = installation;
  const read = createProgressReader(state, { now: Date.now, modes });
  const page = await options.startPage({ kubeconfig, name: localClusterName, read, state, port });
  board.address(`page: ${page.url}   logs: ${logs.path}   stop: Ctrl-C`);
  const shown = begin({ read, known, state, footer: [`page ${page.url}`] });
  board.show(shown.snapshot);
  try {
    await ended(signal);
  } finally {
    await shown.stop();
    await board.stop();
    await page.stop();
  }
}

/** Never two controllers: if the in-tree one acts, or if that is unknown, Sluice only watches native rules and slice taints. */
async function decideNative(
  connection: ClusterConnection,
  { native, kubeconfig, signal }: LiveOptions,
  say: (text: string) => void,
): Promise<Mode> {
  // The simulated fleet has no in-tree controller.
  if (kubeconfig === undefined) return native === 'detect' ? 'own' : native;
  if (native === 'shadow' || native === 'off' || connection.auth.kind !== 'file')
    return native === 'off' ? 'off' : 'shadow';
  // With an explicit mode, only report what can be seen at once.
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
      : `it is unknown who evicts here (${found.why})`;
  if (native === 'own') say(`--own-native: acting although ${why}`);
  else say(`shadow: ${why}; native rules and slice taints are only watched. --own-native overrides this.`);
  return native === 'own' ? 'own' : 'shadow';
}

function ended(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
