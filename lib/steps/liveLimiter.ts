// The rule as the API server has it, read at most once a second, so that "stop" holds even when the watcher is behind.
import { holdOf } from '../decide/hold.ts';
import { taintRulesOf } from '../decide/ruleTaints.ts';
import { evicts } from '../decide/taint.ts';
import type { LimiterId } from '../model/eviction.ts';
import type { Uid } from '../model/identity.ts';
import { type RuleRef, ruleLimiter } from '../model/rule.ts';
import type { Instant } from '../model/time.ts';
import { originKey, type Reason, refOf } from '../model/verdict.ts';
import type { ClusterStepDependencies, Turn } from './step.ts';

export type LiveAnswer = { readonly kind: 'Stands' } | { readonly kind: 'Moved'; readonly why: string };

/** "Stop" must hold within a second of the rule's deletion. */
const remembersFor = 500;

interface Remembered {
  readonly at: Instant;
  readonly answer: Promise<LiveAnswer>;
}

const remembered = new Map<string, Remembered>();

/** Slice taints have no rule to read; the stored slices decide. An API server that cannot answer keeps the pod. */
export async function liveLimiter(
  deps: ClusterStepDependencies,
  turn: Turn,
  by: { readonly limiter: LimiterId; readonly because: readonly Reason[] },
): Promise<LiveAnswer> {
  const reason = by.because.find((one) => one.origin.kind === 'Rule' && by.limiter === originKey(one));
  const ref = reason && refOf(reason.origin);
  if (reason?.origin.kind !== 'Rule' || ref === undefined)
    return by.limiter.startsWith('rule|') ? { kind: 'Moved', why: 'rule not among the reasons' } : { kind: 'Stands' };
  const { uid, generation } = reason.origin;
  const key = `${turn.state.cluster}|${by.limiter}|${generation}`;
  const now = deps.clock.now();
  const kept = remembered.get(key);
  if (kept && now >= kept.at && now - kept.at < remembersFor) return kept.answer;
  const answer = read(turn, { ref, uid, generation, limiter: by.limiter }, now);
  remembered.set(key, { at: now, answer });
  if (remembered.size > 1000) remembered.clear();
  return answer;
}

async function read(
  turn: Turn,
  origin: { ref: RuleRef; uid: Uid; generation: number; limiter: LimiterId },
  now: Instant,
): Promise<LiveAnswer> {
  const live = await turn.access.liveRules.read(origin.ref);
  switch (live.kind) {
    case 'Found':
      if (live.rule.kind === 'DeviceTaintRule' && live.rule.projectedFrom !== undefined)
        return { kind: 'Moved', why: `rule ${origin.ref} is there for the scheduler alone` };
      if (live.rule.uid !== origin.uid) return { kind: 'Moved', why: `rule ${origin.ref} was replaced` };
      if (live.rule.generation !== origin.generation) return { kind: 'Moved', why: `rule ${origin.ref} was edited` };
      if (!taintRulesOf(live.rule).some((one) => evicts(one.taint) && ruleLimiter(one) === origin.limiter))
        return { kind: 'Moved', why: `rule ${origin.ref} does not evict` };
      return holdOf(live.rule, now) ? { kind: 'Moved', why: 'held' } : { kind: 'Stands' };
    case 'NotFound':
      return { kind: 'Moved', why: `rule ${origin.ref} is deleted` };
    case 'RetryLater':
    case 'Refused':
      return { kind: 'Moved', why: live.why };
    default:
      return live satisfies never;
  }
}
