// Progress of one rule or slice taint: state, counts, rate and estimated finish; pure.

import { pauseHold } from '../decide/hold.ts';
import { rateOf, rateWritten } from '../decide/rate.ts';
import { describeTaint, descriptionText, taintText } from '../decide/taintText.ts';
import { isHeldWave } from '../decide/waveHold.ts';
import { describeWave } from '../decide/waveText.ts';
import { roomOf } from '../gates/index.ts';
import type { LimiterId, Rate } from '../model/eviction.ts';
import { isOfRule } from '../model/rule.ts';
import type { Instant } from '../model/time.ts';
import { describeOrigin, originKey, type Reason } from '../model/verdict.ts';
import type { Wave } from '../model/wave.ts';
import type { RecentEviction } from '../state/recentRows.ts';
import { isSlice } from './episodes.ts';
import { type Estimate, estimate, tokensIn } from './estimate.ts';
import type { LimiterFacts } from './facts.ts';
import { gateFactsOf, waitsForCanary } from './gateFacts.ts';
import { countPerSecond } from './pace.ts';
import type { LimiterProgress, ProgressState } from './progress.ts';
import { type Standings, standingAt, tallyStandings } from './standing.ts';
import { selectorText } from './words.ts';

interface Around {
  /** Evictions that used this limiter's tokens, newest first. */
  readonly recent: readonly RecentEviction[];
  /** Evictions counted for this limiter, whichever limiter's tokens they used; newest first. */
  readonly counted: readonly RecentEviction[];
  readonly now: Instant;
  /** Why no pod is evicted in the whole cluster; absent if not held. */
  readonly held: string | undefined;
}

export function assembleLimiter(facts: LimiterFacts, around: Around): LimiterProgress {
  const { recent, counted, now } = around;
  const identity = identityOf(facts, counted);
  const standings = tallyStandings(facts.listed.map((one) => standingAt(one, now)));
  const ruleSet = { rules: facts.rule ? [facts.rule] : [], policies: facts.policies ?? [] };
  const rate = rateOf(facts.limiter, ruleSet, now);
  const counts = { evicted: facts.evicted, deleting: standings.deleting, pending: standings.pending };
  const lastEvictionAt = counted[0]?.at ?? recent[0]?.at;
  const perSecond = countPerSecond(recent, now);
  const pace = paceOf(facts, { rate, standings, around, perSecond });
  return {
    limiter: facts.limiter,
    ...identity,
    // A held limiter evicts no pods now; show the rate at which it will evict.
    rate: pace.heldBecause === undefined ? rate : rateWritten(facts.limiter, ruleSet),
    state: stateOf(facts, { effect: identity.effect, standings }),
    counts: { ...counts, waiting: standings.waiting },
    total: totalOf(facts, standings.deleting),
    isPartial: facts.isPartial,
    isEvaluating: facts.isEvaluating,
    ...pace,
    ...keptOf(facts, standings),
    ...doneOf(facts, counted),
    perSecond,
    ...(lastEvictionAt === undefined ? {} : { lastEvictionAt }),
  };
}

type Identity = Pick<LimiterProgress, 'kind' | 'name' | 'place' | 'selector' | 'taint' | 'effect'>;

function identityOf({ limiter, rule, gone }: LimiterFacts, counted: readonly RecentEviction[]): Identity {
  if (rule) {
    const { name, taint } = rule;
    return {
      kind: 'Rule',
      name,
      place: `${gone ? 'the deleted ' : ''}${rule.kind} ${name}`,
      selector: selectorText(rule.deviceSelector),
      taint: describeTaint(taint),
      effect: taint.effect,
    };
  }
  const reason = counted.flatMap(({ because }) => because.find((one) => originKey(one) === limiter) ?? [])[0];
  if (isOfRule(limiter)) return forgottenRule(limiter, reason);
  const [, driver = '', key = '', value = '', effect = ''] = limiter.split('|');
  return {
    kind: 'Slice',
    name: driver,
    place: reason ? describeOrigin(reason.origin) : `slices of driver ${driver}`,
    selector: `driver ${driver}`,
    taint: `${taintText({ key, value, effect })}${descriptionText(reason?.taint ?? {})}`,
    effect,
  };
}

/** Identity of a rule whose row was replaced or has expired, derived from its evictions. */
function forgottenRule(limiter: LimiterId, reason: Reason | undefined): Identity {
  const name = reason?.origin.kind === 'Rule' ? reason.origin.name : limiter.slice('rule|'.length);
  const effect = reason?.taint.effect ?? 'NoExecute';
  return {
    kind: 'Rule',
    name,
    place: 'a deleted rule',
    selector: '',
    taint: reason ? describeTaint(reason.taint) : '',
    effect,
  };
}

function stateOf(facts: LimiterFacts, by: { effect: string; standings: Standings }): ProgressState {
  if (facts.gone && isOfRule(facts.limiter)) return isAllDone(facts) ? 'Completed' : 'Stopped';
  if (by.standings.pending + by.standings.deleting > 0) return 'Evicting';
  if (by.standings.waiting > 0) return 'Waiting';
  if (by.effect !== 'NoExecute') return 'NoEffect';
  // Pods that other rules reached first may count before the rule's own are listed.
  if (facts.isEvaluating || facts.evicted === 0) return 'NotStarted';
  return keptBySlice(facts) > 0 ? 'Stopped' : 'Completed';
}

/** A rule deleted after evicting all of its pods counts as completed, not as stopped. */
function isAllDone({ lastTotal = Number.POSITIVE_INFINITY, evicted, listed }: LimiterFacts): boolean {
  return evicted > 0 && listed.length === 0 && evicted >= lastTotal;
}

/** `took`: time from the first to the last eviction; 0 for one pod. */
function doneOf(facts: LimiterFacts, counted: readonly RecentEviction[]): Pick<LimiterProgress, 'done'> {
  const times = counted.flatMap(({ at, outcome }) => (outcome === 'Evicted' ? [at] : []));
  const isStopped = (facts.gone && !isAllDone(facts)) || keptBySlice(facts) > 0;
  if (times.length === 0 || facts.listed.length > 0 || facts.isEvaluating || isStopped) return {};
  const byOthers = counted.filter(({ outcome, limiter }) => outcome === 'Evicted' && limiter !== facts.limiter).length;
  return {
    done: {
      pods: facts.evicted,
      ...(times.length < facts.evicted ? {} : { took: Math.max(...times) - Math.min(...times) }),
      missed: Math.max(0, totalOf(facts, 0) - facts.evicted),
      ...(byOthers > 0 ? { byOthers } : {}),
    },
  };
}

function paceOf(
  facts: LimiterFacts,
  by: { rate: Rate; standings: Standings; around: Around; perSecond: readonly number[] },
): Estimate & Pick<LimiterProgress, 'heldBecause' | 'tokens'> {
  if (facts.gone) return {};
  if (facts.refused !== undefined) return { heldBecause: `no pod is evicted: ${facts.refused}` };
  // A pod that the rule reaches later is kept, so a finished rule shows its pause too.
  if (facts.listed.length === 0) return heldBy(facts.rule && pauseHold(facts.rule));
  const { rate, standings, around, perSecond } = by;
  if (around.held !== undefined) return { heldBecause: around.held };
  const wave = waveOf(facts, standings);
  const gates = gateFactsOf(facts, around.now);
  const [because] = roomOf(gates).because;
  if (because && because.reason !== 'StandsStill') return heldBy(because);
  if (wave) return { heldBecause: `${describeWave(wave)}: see EvictionPolicy ${wave.policy}` };
  if (because) return heldBy(because);
  const bucket = { rate, bucket: facts.bucket, now: around.now };
  const times = estimate({ ...bucket, standings, perSecond });
  return { tokens: tokensIn(bucket), ...(waitsForCanary(gates) ? nextOf(times) : times) };
}

function heldBy(by: { readonly message: string } | undefined): Pick<LimiterProgress, 'heldBecause'> {
  return by ? { heldBecause: by.message.replace(/\.$/, '') } : {};
}

function nextOf({ nextAt }: Estimate): Estimate {
  return nextAt === undefined ? {} : { nextAt };
}

/** The wave that holds all waiting pods; `undefined` while other pods are evicted, because then their rate is shown. */
function waveOf({ limiter, waves = [], policies = [] }: LimiterFacts, standings: Standings): Wave | undefined {
  const { waiting, pending, deleting, dueTimes } = standings;
  if (waiting === 0 || pending + deleting + dueTimes.length > 0) return undefined;
  const [, driver, key] = limiter.split('|');
  return waves.find(
    (wave) =>
      wave.key === key &&
      (wave.scope.kind === 'Class' || wave.scope.driver === driver) &&
      isHeldWave(
        wave,
        policies.find(({ name }) => name === wave.policy),
      ),
  );
}

function keptOf(facts: LimiterFacts, { deleting }: Standings): { readonly kept?: number } {
  const { gone, lastTotal, evicted } = facts;
  if (gone && lastTotal !== undefined) return { kept: Math.max(0, lastTotal - evicted - deleting) };
  const kept = keptBySlice(facts);
  return kept > 0 ? { kept } : {};
}

/** Pods that a slice taint no longer lists and that were not evicted: it was taken back, as a rule is deleted. */
function keptBySlice({ limiter, listed, evicted, lastTotal = 0 }: LimiterFacts): number {
  return !isSlice(limiter) || listed.length > 0 || evicted === 0 ? 0 : Math.max(0, lastTotal - evicted);
}

/** The total never falls: a stopped rule keeps its last total, so that its percentage stays the same. */
function totalOf({ gone, lastTotal = 0, evicted, listed }: LimiterFacts, deleting: number): number {
  return Math.max(lastTotal, evicted + (gone ? deleting : listed.length));
}
