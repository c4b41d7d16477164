// Data sources of the console: the watched cluster, the state table if there is one, and the caller's rights.

import { reviewAccess } from '../../adapters/kubernetes/accessReview.ts';
import { stopOf } from '../../adapters/kubernetes/evictionStop.ts';
import type { Json } from '../../adapters/kubernetes/read.ts';
import { createSharedReads } from '../../adapters/sharedReads.ts';
import type { EvictionStop } from '../../model/stop.ts';
import type { State } from '../../state/state.ts';
import { rights, rightText } from '../../view/console/act.ts';
import { createFleetReader, type FleetReader } from '../../view/console/fleet.ts';
import { createGroupReader, type GroupReader } from '../../view/console/groups.ts';
import type { ClusterProgress } from '../../view/progress.ts';
import type { ProgressReader } from '../../view/readModel.ts';
import type { OpenCluster } from '../cluster/open.ts';
import type { Io } from '../io.ts';
import { type Followed, follow } from './followed.ts';

/** What comes from the state table: progress, evictions, records. */
export interface TableSource {
  readonly state: () => Promise<State>;
  readonly progress: ProgressReader;
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
  readonly rights: () => Promise<Rights>;
  /** Resolves when something may have changed: at once for the cluster, after 250 ms for the state table. */
  readonly changed: (after: number, signal: AbortSignal) => Promise<void>;
  /** Increases with every change in the cluster. */
  readonly version: () => number;
}

/** Rights of the caller as text, such as `patch namespaces`; a right in neither list is unknown. */
export interface Rights {
  readonly granted: ReadonlySet<string>;
  readonly missing: readonly string[];
  /** Why a SelfSubjectAccessReview failed. */
  readonly problem?: string;
}

export type Progress =
  | { readonly kind: 'None' }
  | { readonly kind: 'Read'; readonly progress: ClusterProgress }
  | { readonly kind: 'Failed'; readonly why: string };

/** DynamoDB sends no notifications here, so the state table is polled, in milliseconds. */
const tableEvery = 250;
const clockEvery = 1000;

/** Maximum age of reads shared by several pages, in milliseconds. */
const maxAge = { progress: 150, rights: 60_000, unknownRights: 1000 };

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
  let areRightsKnown = true;
  const followedStops = async () => {
    const stops = opened && followCluster(opened).stops;
    await stops?.known;
    return stops;
  };
  return {
    ...options,
    ...(cluster ? { cluster } : {}),
    get followed() {
      return opened && followCluster(opened);
    },
    readFleet: createFleetReader(),
    readGroups: createGroupReader(),
    async progress() {
      const known = await followedStops();
      const stops = known && known.problem() === undefined ? known.objects().map(stopOf) : undefined;
      // Another answer for other stops, so that lines of rules and notices of one page agree.
      const key = `progress ${stops?.map(({ uid }) => uid).join(' ')}`;
      return (await reads.read(key, { maxAge: maxAge.progress }, () => readProgress(table, stops))).value;
    },
    async stops() {
      const stops = await followedStops();
      const problem = stops?.problem();
      return { found: stops?.objects() ?? [], ...(problem === undefined ? {} : { problem }) };
    },
    async rights() {
      const age = areRightsKnown ? maxAge.rights : maxAge.unknownRights;
      const { value } = await reads.read('rights', { maxAge: age }, () => readRights(cluster));
      areRightsKnown = value.problem === undefined;
      return value;
    },
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

async function readProgress(
  table: TableSource | undefined,
  stops: readonly EvictionStop[] | undefined,
): Promise<Progress> {
  if (!table) return { kind: 'None' };
  try {
    return { kind: 'Read', progress: await table.progress(stops) };
  } catch (error) {
    return { kind: 'Failed', why: error instanceof Error ? error.message : String(error) };
  }
}

async function readRights(cluster: OpenCluster | undefined): Promise<Rights> {
  if (!cluster) return { granted: new Set(), missing: [] };
  const answers = await Promise.all(
    rights.map(async (right) => ({ text: rightText(right), answer: await reviewAccess(cluster.client, right) })),
  );
  const withAnswer = (wanted: boolean) => answers.flatMap(({ text, answer }) => (answer === wanted ? [text] : []));
  const [problem] = answers.flatMap(({ answer }) => (typeof answer === 'string' ? [answer] : []));
  return {
    granted: new Set(withAnswer(true)),
    missing: withAnswer(false),
    ...(problem === undefined ? {} : { problem }),
  };
}
