// What the console is made of: the cluster that it watches, the state table where there is one, and who asks.

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

/** The state table's part: progress, evictions, records. */
export interface TableSource {
  readonly state: () => Promise<State>;
  readonly progress: () => Promise<ClusterProgress>;
}

export interface ConsoleOptions {
  /** Shown on every page. */
  readonly name: string;
  /** Absent: only the table is known, and nothing can be done. */
  readonly cluster?: OpenCluster;
  readonly table?: TableSource;
  /** What a reader does who wants the pages of the table. */
  readonly tableHint: string;
  readonly io: Io;
  readonly signal: AbortSignal;
}

export interface ConsoleSource extends ConsoleOptions {
  readonly followed: Followed | undefined;
  readonly readFleet: FleetReader;
  readonly readGroups: GroupReader;
  /** Absent where there is no table; `Failed` where it cannot be read. */
  readonly progress: () => Promise<Progress>;
  /** `problem`: why they cannot be read. */
  readonly stops: () => Promise<{ readonly found: readonly Json[]; readonly problem?: string }>;
  /** By text: `patch namespaces`. */
  readonly granted: () => Promise<ReadonlySet<string>>;
  /** When something may have changed: at once with the cluster, twice a second with the table. */
  readonly changed: (after: number, signal: AbortSignal) => Promise<void>;
  /** Of what changed so far in the cluster. */
  readonly version: () => number;
}

export type Progress =
  | { readonly kind: 'None' }
  | { readonly kind: 'Read'; readonly progress: ClusterProgress }
  | { readonly kind: 'Failed'; readonly why: string };

/** The table tells of no change, so that it is asked. */
const tableEvery = 500;
const clockEvery = 1000;

/** How old readings may be that several pages share, in milliseconds. */
const maxAge = { progress: 400, rights: 60_000 };

/** The cluster is watched from the first page on. */
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

/** A right that cannot be reviewed counts as missing. */
async function readRights(cluster: OpenCluster | undefined): Promise<ReadonlySet<string>> {
  if (!cluster) return new Set();
  const answers = await Promise.all(
    rights.map(async (right) => ((await reviewAccess(cluster.client, right)) === true ? [rightText(right)] : [])),
  );
  return new Set(answers.flat());
}
