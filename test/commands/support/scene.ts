// A simulated cluster and the real program in this process: arguments in; status, stdout and stderr out. The clock moves when a verb sleeps.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { program } from '../../../lib/commands/definitions/index.ts';
import type { Io } from '../../../lib/commands/io.ts';
import { runProgram } from '../../../lib/commands/program.ts';
import { type Cluster, startCluster } from '../../../lib/local/cluster/cluster.ts';
import { describeFleet, populate } from '../../../lib/local/cluster/fleet.ts';
import { kubeconfigYaml } from '../../../lib/local/cluster/kubeconfig.ts';
import type { JsonMap, KubeObject } from '../../../lib/local/cluster/object.ts';

export const now = Date.UTC(2026, 0, 1, 12);

export interface Said {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

export interface Scene {
  readonly cluster: Cluster;
  readonly folder: string;
  /** Of the Kubernetes user ada. */
  readonly kubeconfig: string;
  /** Of the Kubernetes user eve. */
  readonly eve: string;
  readonly clock: { now: number };
  sluice(...words: string[]): Promise<Said>;
  /** With standard input, the width of a terminal, or a callback for each time that the verb sleeps. */
  run(words: readonly string[], how: How): Promise<Said>;
  file(name: string, text: string): string;
  stop(): Promise<void>;
}

export interface How {
  readonly input?: string;
  readonly columns?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly onSleep?: (count: number) => void;
  /** The number of sleeps after which Ctrl-C is sent. */
  readonly sleeps?: number;
}

const stops = {
  group: 'sluice.dev',
  versions: ['v1alpha1'],
  plural: 'evictionstops',
  singular: 'evictionstop',
  kind: 'EvictionStop',
  namespaced: false,
  subresources: [],
  hasGeneration: true,
} as const;

/** Eight pods on four nodes; nodes 0 and 2 have GPUs, nodes 1 and 3 NICs. */
export async function startScene(
  options: { readonly hasStops?: boolean; readonly hasSelfReview?: boolean } = {},
): Promise<Scene> {
  const clock = { now };
  const { hasSelfReview = true } = options;
  const people = {
    hasSelfReview,
    administrator: 'ada',
    users: new Map([['eve', { name: 'eve', groups: ['system:masters'] }]]),
  };
  const cluster = await startCluster({ now: () => clock.now, ...people });
  const isBuiltIn = cluster.resources.some(({ plural }) => plural === stops.plural);
  if (options.hasStops && !isBuiltIn) {
    await cluster.close();
    return sceneOf(await startCluster({ now: () => clock.now, resources: [stops], ...people }), clock);
  }
  return sceneOf(cluster, clock);
}

function sceneOf(cluster: Cluster, clock: { now: number }): Scene {
  const fleet = describeFleet({
    nodes: 4,
    devicesPerNode: 3,
    pods: 8,
    drivers: ['gpu.example.com', 'nic.example.com'],
  });
  populate(fleet, (manifest) => cluster.seed(manifest));
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-commands-'));
  const file = (name: string, text: string) => {
    writeFileSync(path.join(folder, name), text);
    return path.join(folder, name);
  };
  const kubeconfig = file('kubeconfig', cluster.kubeconfigYaml);
  const { url, ca } = cluster;
  const eve = file('kubeconfig-eve', kubeconfigYaml({ url, ca, token: 'eve' }));
  const run = (words: readonly string[], how: How) =>
    runWith(words, { env: { KUBECONFIG: kubeconfig, HOME: folder, USER: 'ada' }, clock, how });
  return {
    cluster,
    folder,
    kubeconfig,
    eve,
    clock,
    run,
    file,
    sluice: (...words) => run(words, {}),
    async stop() {
      await cluster.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The program without any cluster. */
export function runAlone(...words: string[]): Promise<Said> {
  return runWith(words, { env: { HOME: '/nonexistent' }, clock: { now }, how: {} });
}

async function runWith(
  words: readonly string[],
  by: { readonly env: Readonly<Record<string, string>>; readonly clock: { now: number }; readonly how: How },
): Promise<Said> {
  const { how, clock } = by;
  const said = { out: '', err: '' };
  const abort = new AbortController();
  const terminal = how.columns === undefined ? {} : { isTTY: true, columns: how.columns };
  let slept = 0;
  const io: Io = {
    out: { ...terminal, write: (text) => (said.out += text) },
    err: { write: (text) => (said.err += text) },
    input: Readable.from([how.input ?? '']),
    env: { ...by.env, ...how.env },
    now: () => clock.now,
    async sleep(milliseconds) {
      clock.now += milliseconds;
      slept += 1;
      how.onSleep?.(slept);
      if (slept >= (how.sleeps ?? 1000)) abort.abort();
    },
    signal: abort.signal,
  };
  const status = await runProgram(program, { name: 'sluice', words, io });
  return { status, ...said };
}

/** A rule for all GPUs, which evicts four pods. */
export const gpuRule: JsonMap = {
  apiVersion: 'resource.k8s.io/v1',
  kind: 'DeviceTaintRule',
  metadata: { name: 'unhealthy-gpus' },
  spec: {
    deviceSelector: { driver: 'gpu.example.com' },
    taint: { key: 'example.com/unhealthy', value: 'xid', effect: 'NoExecute' },
  },
};

export function objectsOf(cluster: Cluster, plural: string): readonly KubeObject[] {
  return cluster.store.list(cluster.resource(plural));
}

/** A question of the caller about itself is a POST that writes nothing. */
export function writesTo(cluster: Cluster): readonly string[] {
  const isReview = (to: string) => to === '/apis/authentication.k8s.io/v1/selfsubjectreviews';
  return cluster.calls
    .filter(({ method, path: to }) => method !== 'GET' && !isReview(to))
    .map(({ method, path: to }) => `${method} ${to}`);
}
