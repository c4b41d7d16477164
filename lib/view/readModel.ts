// Reads the picture of one cluster's evictions from the state table alone, cheaply enough to be asked every second.

import { withPolicy } from '../decide/policy.ts';
import { bucketNameOf, policyOf } from '../decide/rate.ts';
import { taintRulesOf } from '../decide/ruleTaints.ts';
import type { LimiterId } from '../model/eviction.ts';
import { type ClusterName, clusterNameOf } from '../model/identity.ts';
import { type ConfiguredModes, effectiveModes } from '../model/ownership.ts';
import type { EvictionPolicy } from '../model/policy.ts';
import { ruleLimiter, type TaintRule } from '../model/rule.ts';
import type { Instant } from '../model/time.ts';
import type { Wave } from '../model/wave.ts';
import { readBucket } from '../state/bucketRows.ts';
import { currentState } from '../state/incarnationRows.ts';
import { limiterPartition } from '../state/keys.ts';
import { readLimiters } from '../state/limiterRows.ts';
import { readHeartbeat } from '../state/liveness.ts';
import { describePauses, readPauses } from '../state/pauseRows.ts';
import { readPlans } from '../state/planRows.ts';
import { readRecent } from '../state/recentRows.ts';
import { readTally, tallyOf } from '../state/recordRows.ts';
import { readRefused } from '../state/refusedRows.ts';
import type { RuleRow } from '../state/ruleRows.ts';
import { livePolicies, readRules } from '../state/ruleSetRows.ts';
import type { State } from '../state/state.ts';
import { readNotedStops } from '../state/stopRows.ts';
import { readWatched } from '../state/waveRows.ts';
import type { Table } from '../table.ts';
import { assembleProgress } from './assemble.ts';
import type { ClusterFacts, LimiterFacts } from './facts.ts';
import { readSeats } from './limiterCanary.ts';
import {
  createMemory,
  isPartial,
  isQuiet,
  isRecentDue,
  momentOf,
  type ProgressMemory,
  rememberRecent,
  settle,
  sinceOf,
} from './memory.ts';
import type { ClusterProgress } from './progress.ts';
import { readUnapproved } from './unapproved.ts';

/** For how long a finished eviction is counted and listed. */
export const recentWindow = 600_000;

/** Rows read of one limiter; beyond them its counts are lower bounds. */
const listedLimit = 10_000;

/** Rows read of each shard of the last evictions. */
const recentLimit = 1000;

export interface ReadOptions {
  /** Kept by a caller that asks again and again; without it everything is read. */
  readonly memory?: ProgressMemory;
  /** As configured. */
  readonly modes?: ConfiguredModes;
}

/** Throws where the table cannot be read. */
export async function readClusterProgress(
  state: State,
  now: Instant,
  options: ReadOptions = {},
): Promise<ClusterProgress> {
  return assembleProgress({ ...(await readFacts(state, now, options)), refused: await readRefused(state) });
}

/** The same with a memory of its own: limiters that evict no pod are read less often, finished evictions once. */
export function createProgressReader(
  open: () => Promise<State>,
  by: { readonly now: () => Instant; readonly modes?: ConfiguredModes },
): () => Promise<ClusterProgress> {
  const memory = createMemory();
  const modes = by.modes === undefined ? {} : { modes: by.modes };
  return async () => readClusterProgress(await open(), by.now(), { memory, ...modes });
}

/** Of a cluster by its name, whatever its incarnation is at each reading. */
export function createClusterReader(
  { table, cluster }: { readonly table: Table; readonly cluster: ClusterName },
  by: { readonly now: () => Instant; readonly modes?: ConfiguredModes },
): () => Promise<ClusterProgress> {
  return createProgressReader(() => currentState(table, cluster), by);
}

/**
 * A pod goes from a limiter's listing to its tally and to the last evictions in one transaction; read in this order, and settled by
 * the last of them, all numbers of a picture are those of the moment at which the last evictions were read.
 */
async function readFacts(state: State, now: Instant, options: ReadOptions): Promise<ClusterFacts> {
  const memory = options.memory ?? createMemory();
  const since = now - recentWindow;
  const [heardAt, pauses, stopped, rules, registered, plans] = await Promise.all([
    readHeartbeat(state),
    readPauses(state),
    readNotedStops(state, now),
    readRules(state),
    readLimiters(state),
    readPlans(state),
  ]);
  const policies = livePolicies(rules);
  const sources = sourcesOf(rules.rows, { registered, policies, waves: await readWatched(state, policies) });
  const read = await Promise.all(sources.map((source) => readLimiter(state, { memory, now, source })));
  const range = { since: sinceOf(memory, since), limit: recentLimit };
  if (isRecentDue(memory, read, now)) rememberRecent(memory, await readRecent(state, range), { now, oldest: since });
  const limiters = read.map((one) => settle(memory, one, now));
  return {
    cluster: clusterNameOf(state.cluster),
    now: momentOf(memory, now),
    ...(options.modes === undefined ? {} : { modes: effectiveModes(options.modes, rules.modes) }),
    ...(heardAt === undefined ? {} : { heardAt }),
    ...(stopped === undefined ? {} : { stopped: stopped.why }),
    pauses: describePauses(pauses),
    limiters,
    plans: plans.map(({ rule, at, summary, first }) => ({ rule, at, summary, first })),
    recent: [...memory.recent.values()].sort((a, b) => b.at - a.at),
    recentIsPartial: isPartial(memory, since),
    window: recentWindow,
  };
}

/** A limiter with the rule behind it; rows can exist only where it is registered. */
interface Source {
  readonly limiter: LimiterId;
  readonly row?: RuleRow;
  readonly rule?: TaintRule;
  readonly policies?: readonly EvictionPolicy[];
  readonly waves?: readonly Wave[];
  readonly isRegistered: boolean;
}

function sourcesOf(
  rows: readonly RuleRow[],
  by: {
    readonly registered: readonly LimiterId[];
    readonly policies: readonly EvictionPolicy[];
    readonly waves: readonly Wave[];
  },
): readonly Source[] {
  const { registered, policies, waves } = by;
  const known = new Set(registered);
  const ofRules = new Map(
    rows.flatMap((row) =>
      taintRulesOf(row.object).map((rule) => [ruleLimiter(rule), { row, rule: withPolicy(rule, policies) }]),
    ),
  );
  const others = registered.filter((limiter) => !ofRules.has(limiter));
  return [
    ...[...ofRules].map(([limiter, behind]) => ({ limiter, ...behind, isRegistered: known.has(limiter) })),
    ...others.map((limiter) => ({ limiter, isRegistered: true, policies, waves })),
  ];
}

interface LimiterRead {
  readonly memory: ProgressMemory;
  readonly now: Instant;
  readonly source: Source;
}

async function readLimiter(state: State, { memory, now, source }: LimiterRead): Promise<LimiterFacts> {
  const { limiter, row, isRegistered } = source;
  const gone = row ? row.gone : limiter.startsWith('rule|');
  const evaluating = row !== undefined && !row.gone && (row.dirty ?? []).length > 0;
  const rule = {
    gone,
    isEvaluating: evaluating,
    ...(source.rule ? { rule: source.rule } : {}),
    ...(source.policies ? { policies: source.policies } : {}),
    ...(source.waves ? { waves: source.waves } : {}),
  };
  const nothing = { limiter, listed: [], isPartial: false, evicted: 0 };
  if (!isRegistered) return { ...nothing, ...rule };
  const kept = memory.limiters.get(limiter);
  if (kept && isQuiet(memory, kept, { gone, now })) return { ...kept.facts, ...rule };
  const ruleSet = { rules: source.rule ? [source.rule] : [], policies: source.policies ?? [] };
  const listing = await readListing(state, limiter);
  const [seats, unapproved, evicted, bucket] = await Promise.all([
    readSeats(state, { limiter, ruleSet }),
    readUnapproved(state, limiter, policyOf(limiter, ruleSet)),
    readTally(state, tallyOf(limiter)),
    readBucket(state, bucketNameOf(limiter, ruleSet)),
  ]);
  const keeps = { ...(seats ? { seats } : {}), ...(unapproved === undefined ? {} : { unapproved }) };
  return { limiter, ...listing, evicted, ...(bucket ? { bucket } : {}), ...keeps, ...rule };
}

async function readListing(state: State, limiter: LimiterId): Promise<Pick<LimiterFacts, 'listed' | 'isPartial'>> {
  const listed: { uid: string; sk: string }[] = [];
  let after: string | undefined;
  do {
    const range = { pk: limiterPartition(state.cluster, limiter), limit: listedLimit - listed.length };
    const page = await state.table.query(after === undefined ? range : { ...range, after });
    listed.push(...page.rows.map((row) => ({ uid: row.uid as string, sk: row.sk })));
    after = page.next;
  } while (after !== undefined && listed.length < listedLimit);
  return { listed, isPartial: after !== undefined };
}
