// The rule as the API server has it, read at most once a second, so that "stop" holds even when the watcher is behind.
import { holdOf } from '../decide/hold.ts';
import type { LimiterId } from '../model/eviction.ts';
import type { Instant } from '../model/time.ts';
import type { Reason } from '../model/verdict.ts';
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
  const origin = by.because
    .map((reason) => reason.origin)
    .find((one) => one.kind === 'Rule' && by.limiter === `rule|${one.uid}`);
  if (origin?.kind !== 'Rule')
    return by.limiter.startsWith('rule|') ? { kind: 'Moved', why: 'rule not among the reasons' } : { kind: 'Stands' };
  const key = `${turn.state.cluster}|${origin.uid}|${origin.generation}`;
  const now = deps.clock.now();
  const kept = remembered.get(key);
  if (kept && now >= kept.at && now - kept.at < remembersFor) return kept.answer;
  const answer = read(turn, origin, now);
  remembered.set(key, { at: now, answer });
  if (remembered.size > 1000) remembered.clear();
  return answer;
}

async function read(
  turn: Turn,
  origin: { name: string; uid: string; generation: number },
  now: Instant,
): Promise<LiveAnswer> {
  const live = await turn.access.liveRules.read(origin.name);
  switch (live.kind) {
    case 'Found':
      if (live.rule.uid !== origin.uid) return { kind: 'Moved', why: `rule ${origin.name} was replaced` };
      if (live.rule.generation !== origin.generation) return { kind: 'Moved', why: `rule ${origin.name} was edited` };
      if (live.rule.taint.effect !== 'NoExecute') return { kind: 'Moved', why: `rule ${origin.name} does not evict` };
      return holdOf(live.rule, now) ? { kind: 'Moved', why: 'held' } : { kind: 'Stands' };
    case 'NotFound':
      return { kind: 'Moved', why: `rule ${origin.name} is deleted` };
    case 'RetryLater':
    case 'Refused':
      return { kind: 'Moved', why: live.why };
    default:
      return live satisfies never;
  }
}
