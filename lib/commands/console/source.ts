// Data sources of the console: the watched cluster, the state table if there is one, and the caller's rights.

import { reviewAccess } from '../../adapters/kubernetes/accessReview.ts';
import type { Json } from '../../adapters/kubernetes/read.ts';
import { createSharedReads } from '../../adapters/sharedReads.ts';
import type { State } from '../../state/state.ts';
import { rights, rightText } from '../../view/console/act.ts';
import { createFleetReader, type FleetReader } from '../../view/console/fleet.ts';
import { createGroupReader, type GroupReader } from '../../view/console/groups.ts';
import type { ClusterProgress } from '../../view/progress.ts';
import type { OpenCluster } from '../cluster/open.ts';
import type { Io } from '../io.ts';
import { type Followed, follow } from './followed.ts';

/** What comes from the state table: progress, evictions, records. */
export interface TableSource {
  readonly state: () => Promise<State>;
  readonly progress: () => Promise<ClusterProgress>;
}

export interface ConsoleOptions {
  /** Shown on every page. */
  readonly name: string;
  /** Absent: only the state table is shown, without actions in the cluster. */
  readonly cluster?: OpenCluster;
  readonly table?: TableSource;
  /** How to start the console so that pages of the state table are shown. */
  readonly tableHint: string;
  readonly io: Io;
  readonly signal: AbortSignal;
}

export interface ConsoleSource extends ConsoleOptions {
  readonly followed: Followed | undefined;
  readonly readFleet: FleetReader;
  readonly readGroups: GroupReader;
  /** `None` without a state table; `Failed` if the table cannot be read. */
  readonly progress: () => Promise<Progress>;
  /** EvictionStops; `problem`: why they cannot be read. */
  readonly stops: () => Promise<{ readonly found: readonly Json[]; readonly problem?: string }>;
  /** Rights of the caller as text, such as `patch namespaces`. */
  readonly granted: () => Promise<ReadonlySet<string>>;
  /** Resolves when something may have changed: at once for the cluster, after 250 ms for the state table. */
  readonly changed: (after: number, signal: AbortSignal) => Promise<void>;
  /** Increases with every change in the cluster. */
  readonly version: () => number;
}

export type Progress =
  | { readonly kind: 'None' }
  | { readonly kind: 'Read'; readonly progress: ClusterProgress }
  | { readonly kind: 'Failed'; readonly why: string };

/** DynamoDB sends no notifications here, so the state table is polled, in milliseconds. */
const tableEvery = 250;
const clockEvery = 1000;

/** Maximum age of reads shared by several pages, in milliseconds. */
const maxAge = { progress: 150, rights: 60_000 };

/** Starts watching the cluster with the first page. */
export function createSource(options: ConsoleOptions): ConsoleSource {
  const { table, io, signal } = options;
  const waiting = new Set<() => void>();
  let followed: Followed | undefined;
  const followCluster = (cluster: OpenCluster) => {
    if (followed) return followed;
    followed = follow(cluster, signal);
    followed.onChange(() => {
      for (const one of [...waiting]) one();
    });
    return followed;
  };
  const opened = options.cluster;
  const cluster = opened && { ...opened, followed: () => followCluster(opened).picture() };
  const version = () => followed?.version() ?? 0;
  const reads = createSharedReads(io.now);
  const shared =
    <T>(name: keyof typeof maxAge, read: () => Promise<T>) =>
    async () =>
      (await reads.read(name, { maxAge: maxAge[name] }, read)).value;
  return {
    ...options,
    ...(cluster ? { cluster } : {}),
    get followed() {
      return opened && followCluster(opened);
    },
    readFleet: createFleetReader(),
    readGroups: createGroupReader(),
    progress: shared('progress', () => readProgress(table)),
    async stops() {
      const stops = opened && followCluster(opened).stops;
      await stops?.known;
      const problem = stops?.problem();
      return { found: stops?.objects() ?? [], ...(problem === undefined ? {} : { problem }) };
    },
    granted: shared('rights', () => readRights(cluster)),
    version,
    async changed(after, ended) {
      if (version() > after) return;
      await new Promise<void>((resolve) => {
        const done = () => {
          clearTimeout(timer);
          waiting.delete(done);
          ended.removeEventListener('abort', done);
          resolve();
        };
        const timer = setTimeout(done, table ? tableEvery : clockEvery);
        waiting.add(done);
        ended.addEventListener('abort', done);
      });
    },
  };
}

async function readProgress(table: TableSource | undefined): Promise<Progress> {
  if (!table) return { kind: 'None' };
  try {
    return { kind: 'Read', progress: await table.progress() };
  } catch (error) {
    return { kind: 'Failed', why: error instanceof Error ? error.message : String(error) };
  }
}

/** A right whose SelfSubjectAccessReview fails counts as missing. */
async function readRights(cluster: OpenCluster | undefined): Promise<ReadonlySet<string>> {
  if (!cluster) return new Set();
  const answers = await Promise.all(
    rights.map(async (right) => ((await reviewAccess(cluster.client, right)) === true ? [rightText(right)] : [])),
  );
  return new Set(answers.flat());
}
