// Reads one limiter and its rule from the state table: listing, tally, token bucket and canary.
import { withPolicy } from '../decide/policy.ts';
import { bucketNameOf, policyOf } from '../decide/rate.ts';
import { taintRulesOf } from '../decide/ruleTaints.ts';
import { selectorHold } from '../decide/selectorHold.ts';
import type { LimiterId } from '../model/eviction.ts';
import type { EvictionPolicy } from '../model/policy.ts';
import type { Recall } from '../model/recall.ts';
import { isOfRule, ruleLimiter, type TaintRule } from '../model/rule.ts';
import type { Instant } from '../model/time.ts';
import type { Wave } from '../model/wave.ts';
import { readBucket } from '../state/bucketRows.ts';
import { readListPage } from '../state/listPages.ts';
import { readEpisodeTally, readTally, tallyOf } from '../state/recordRows.ts';
import type { RuleRow } from '../state/ruleRows.ts';
import type { State } from '../state/state.ts';
import { isSlice } from './episodes.ts';
import type { LimiterFacts } from './facts.ts';
import { readSeats } from './limiterCanary.ts';
import { isQuiet, type ProgressMemory } from './memory.ts';
import { readUnapproved } from './unapproved.ts';

/** Maximum listing rows read per limiter; beyond that, counts are lower bounds. */
const listedLimit = 10_000;

/** Maximum listing rows read for all limiters together, shared equally. */
const listedInAll = 20 * listedLimit;

export function mostListed(limiters: number): number {
  return Math.min(listedLimit, Math.max(1, Math.floor(listedInAll / limiters)));
}

/** A limiter and its rule; only registered limiters can have rows. */
export interface Source {
  readonly limiter: LimiterId;
  readonly row?: RuleRow;
  readonly rule?: TaintRule;
  readonly policies?: readonly EvictionPolicy[];
  readonly waves?: readonly Wave[];
  readonly isRegistered: boolean;
}

export function sourcesOf(
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

export async function readLimiter(
  state: State,
  by: {
    readonly memory: ProgressMemory;
    readonly now: Instant;
    readonly source: Source;
    /** Maximum listing rows to read. */
    readonly most: number;
  },
): Promise<LimiterFacts> {
  const { memory, now, source } = by;
  const { limiter, row, isRegistered } = source;
  const gone = row ? row.gone : isOfRule(limiter);
  const rule = {
    gone,
    isEvaluating: row !== undefined && !row.gone && (row.dirty ?? []).length > 0,
    ...(source.rule ? { rule: source.rule, ...refusedIn(source.rule, memory.recall) } : {}),
    ...(source.policies ? { policies: source.policies } : {}),
    ...(source.waves ? { waves: source.waves } : {}),
  };
  const nothing = { limiter, listed: [], isPartial: false, evicted: 0 };
  if (!isRegistered) return { ...nothing, ...rule };
  const kept = memory.limiters.get(limiter);
  if (kept && isQuiet(memory, kept, { gone, now })) return { ...kept.facts, ...rule };
  const ruleSet = { rules: source.rule ? [source.rule] : [], policies: source.policies ?? [] };
  const listing = await readListing(state, limiter, by.most);
  const [seats, unapproved, evicted, bucket] = await Promise.all([
    readSeats(state, { limiter, ruleSet }),
    readUnapproved(state, limiter, policyOf(limiter, ruleSet)),
    readEvicted(state, limiter),
    readBucket(state, bucketNameOf(limiter, ruleSet)),
  ]);
  const keeps = { ...(seats ? { seats } : {}), ...(unapproved === undefined ? {} : { unapproved }) };
  return { limiter, ...listing, evicted, ...(bucket ? { bucket } : {}), ...keeps, ...rule };
}

/** Of the rule's own expressions: the rules that are read here do not have those of their DeviceClasses. */
function refusedIn(rule: TaintRule, recall: Recall): Pick<LimiterFacts, 'refused'> {
  const { deviceClassName: _, ...deviceSelector } = rule.deviceSelector ?? {};
  const hold = rule.deviceSelector && selectorHold({ ...rule, deviceSelector }, recall);
  return hold ? { refused: hold.message.replace(/\.$/, '') } : {};
}

/** Pods evicted for a rule, or for a slice taint since it was last forgotten. */
function readEvicted(state: State, limiter: LimiterId): Promise<number> {
  return isSlice(limiter) ? readEpisodeTally(state, limiter) : readTally(state, tallyOf(limiter));
}

async function readListing(
  state: State,
  limiter: LimiterId,
  most: number,
): Promise<Pick<LimiterFacts, 'listed' | 'isPartial'>> {
  const listed: LimiterFacts['listed'][number][] = [];
  let after: string | undefined;
  do {
    const page = await readListPage(state, limiter, { limit: most - listed.length, after });
    for (const { row } of page.rows)
      listed.push({ uid: row.uid as string, sk: row.sk, ...(row.deleting ? { deleting: true } : {}) });
    after = page.next;
  } while (after !== undefined && listed.length < most);
  return { listed, isPartial: after !== undefined };
}
