// Reads the ClusterProgress of one cluster from the state table, cheaply enough for once a second.

import type { LimiterId } from '../model/eviction.ts';
import { type ClusterName, clusterNameOf } from '../model/identity.ts';
import { type ConfiguredModes, effectiveModes } from '../model/ownership.ts';
import { describePauses } from '../model/pause.ts';
import { type EvictionStop, stoppedBy } from '../model/stop.ts';
import type { Instant } from '../model/time.ts';
import { currentState } from '../state/incarnationRows.ts';
import { limiterPages } from '../state/limiterRows.ts';
import { readHeartbeat } from '../state/liveness.ts';
import { readPauses } from '../state/pauseRows.ts';
import { readPlans } from '../state/planRows.ts';
import { readRecent } from '../state/recentRows.ts';
import { readRefused } from '../state/refusedRows.ts';
import { livePolicies, readRules } from '../state/ruleSetRows.ts';
import type { State } from '../state/state.ts';
import { isStopOver, type NotedStops, readNotedStops } from '../state/stopRows.ts';
import { readWatched } from '../state/waveRows.ts';
import type { Table } from '../table.ts';
import { assembleProgress } from './assemble.ts';
import type { ClusterFacts, LimiterFacts } from './facts.ts';
import {
  createMemory,
  isBehind,
  isPartial,
  isRecentDue,
  momentOf,
  type ProgressMemory,
  rememberRecent,
  settle,
  sinceOf,
} from './memory.ts';
import type { ClusterProgress } from './progress.ts';
import { mostListed, readLimiter, type Source, sourcesOf } from './readLimiter.ts';
import { shareReads } from './shareReads.ts';

/** Milliseconds for which a finished eviction is counted and listed. */
export const recentWindow = 600_000;

/** Maximum rows read per shard of the last evictions. */
const recentLimit = 1000;

/** `stops`: as in `ReadOptions`. */
export type ProgressReader = (stops?: readonly EvictionStop[]) => Promise<ClusterProgress>;

export interface ReadOptions {
  /** For callers that read repeatedly; without it, everything is read each time. */
  readonly memory?: ProgressMemory;
  /** Modes from the configuration. */
  readonly modes?: ConfiguredModes;
  /** For callers that watch EvictionStops themselves: those of this moment, so that all that is shown of a stop agrees. */
  readonly stops?: readonly EvictionStop[] | undefined;
}

/** Throws if the state table cannot be read. */
export async function readClusterProgress(
  state: State,
  now: Instant,
  options: ReadOptions = {},
): Promise<ClusterProgress> {
  return assembleProgress(withStop(await readAllFacts(state, now, options), options.stops));
}

/** Reader with its own memory: reads idle limiters less often, and finished evictions once. Callers share a read in progress. */
export function createProgressReader(
  open: () => Promise<State>,
  by: { readonly now: () => Instant; readonly modes?: ConfiguredModes },
): ProgressReader {
  const memory = createMemory();
  const modes = by.modes === undefined ? {} : { modes: by.modes };
  const read = shareReads(async () => readAllFacts(await open(), by.now(), { memory, ...modes }));
  return async (stops) => assembleProgress(withStop(await read(), stops));
}

/** Reader for a cluster by name, using the current incarnation at each reading. */
export function createClusterReader(
  { table, cluster }: { readonly table: Table; readonly cluster: ClusterName },
  by: { readonly now: () => Instant; readonly modes?: ConfiguredModes },
): ProgressReader {
  return createProgressReader(() => currentState(table, cluster), by);
}

/** `noted`: the EvictionStops that a stage or the watcher saw last, unless an eviction shows that they are gone. */
type ReadFacts = Omit<ClusterFacts, 'stopped'> & { readonly noted?: NotedStops };

/** What the caller sees itself is newer than the note. A note without stops says that stages cannot read them. */
function withStop({ noted, ...facts }: ReadFacts, live: ReadOptions['stops']): ClusterFacts {
  if (live && live.length > 0) return { ...facts, stopped: stoppedBy(live) };
  const isOver = live !== undefined && noted !== undefined && noted.stops.length > 0;
  return noted === undefined || isOver ? facts : { ...facts, stopped: noted.why };
}

async function readAllFacts(state: State, now: Instant, options: ReadOptions): Promise<ReadFacts> {
  return { ...(await readFacts(state, now, options)), refused: await readRefused(state) };
}

/** Maximum attempts per progress: a rule that starts during a reading needs another one. */
const mostReadings = 3;

/**
 * One transaction moves a pod from a limiter's listing to its tally and to the last evictions. Reading in this order and reconciling
 * with the last evictions (`settle`) makes all numbers consistent as of the moment at which the last evictions were read.
 */
async function readFacts(state: State, now: Instant, options: ReadOptions): Promise<ReadFacts> {
  const memory = options.memory ?? createMemory();
  const since = now - recentWindow;
  for (let readings = 1; ; readings++) {
    const { limiters: read, ...facts } = await readListed(state, now, memory);
    const counted = new Map(memory.counted);
    const range = { since: sinceOf(memory, since), limit: recentLimit };
    if (isRecentDue(memory, read, now)) rememberRecent(memory, await readRecent(state, range), { now, oldest: since });
    if (readings < mostReadings && isBehind(memory, read, counted)) continue;
    const limiters = read.map((one) => settle(memory, one, now));
    const recent = [...memory.recent.values()].sort((a, b) => b.at - a.at);
    const { stopped, rules, ...rest } = facts;
    return {
      ...rest,
      cluster: clusterNameOf(state.cluster),
      now: momentOf(memory, now),
      ...(options.modes === undefined ? {} : { modes: effectiveModes(options.modes, rules.modes) }),
      ...(stopped === undefined || isStopOver(stopped, recent) ? {} : { noted: stopped }),
      limiters: [...limiters, ...memory.ended],
      recent,
      recentIsPartial: isPartial(memory, since),
      ...(options.memory?.total === undefined ? {} : { total: { ...options.memory.total } }),
      window: recentWindow,
    };
  }
}

/** Everything that is read before the last evictions. */
async function readListed(state: State, now: Instant, memory: ProgressMemory) {
  const [heardAt, pauses, stopped, rules, registered, plans] = await Promise.all([
    readHeartbeat(state),
    readPauses(state),
    readNotedStops(state, now),
    readRules(state),
    registeredLimiters(state),
    readPlans(state),
  ]);
  const policies = livePolicies(rules);
  const sources = sourcesOf(rules.rows, { registered, policies, waves: await readWatched(state, policies) });
  return {
    ...(heardAt === undefined ? {} : { heardAt }),
    stopped,
    rules,
    pauses: describePauses(pauses),
    plans: plans.map(({ rule, at, summary, first }) => ({ rule, at, summary, first })),
    limiters: await readAll(state, { memory, now, sources, most: mostListed(registered.length) }),
  };
}

/** Keeps only the name of each limiter. */
async function registeredLimiters(state: State): Promise<readonly LimiterId[]> {
  const names: LimiterId[] = [];
  for await (const page of limiterPages(state, { from: undefined })) names.push(...page);
  return names;
}

/** Number of limiters read concurrently. */
const readAtOnce = 32;

async function readAll(
  state: State,
  { sources, ...by }: Omit<Parameters<typeof readLimiter>[1], 'source'> & { readonly sources: readonly Source[] },
): Promise<readonly LimiterFacts[]> {
  const limiters: LimiterFacts[] = [];
  for (let at = 0; at < sources.length; at += readAtOnce) {
    const some = sources.slice(at, at + readAtOnce);
    limiters.push(...(await Promise.all(some.map((source) => readLimiter(state, { ...by, source })))));
  }
  return limiters;
}
