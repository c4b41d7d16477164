// The canary of a taint as stored in the table: its state, and the permits that its pods hold.
import { type CanaryState, canaryHold, canaryState } from '../decide/canary.ts';
import { epochsOf } from '../decide/epoch.ts';
import { policyOf, type RuleSet } from '../decide/rate.ts';
import { evicts } from '../decide/taint.ts';
import type { LimiterId, Token } from '../model/eviction.ts';
import type { Hold } from '../model/hold.ts';
import type { Uid } from '../model/identity.ts';
import type { EvictionPolicy } from '../model/policy.ts';
import { ruleLimiter } from '../model/rule.ts';
import type { Instant, Milliseconds } from '../model/time.ts';
import { type CanaryOf, leaveSeat, readCanary } from '../state/canaryRows.ts';
import { currentRuleSet } from '../state/currentRules.ts';
import { countListed } from '../state/listedCounts.ts';
import type { State } from '../state/state.ts';
import type { Write } from '../table.ts';
import type { ReportedRule, StepDependencies } from './step.ts';

interface At {
  readonly limiter: LimiterId;
  readonly ruleSet: RuleSet;
}

export interface FoundCanary {
  readonly of: CanaryOf;
  readonly policy: EvictionPolicy;
  readonly state: CanaryState;
  /** Number of pods with a permit whose deletion is not finished. */
  readonly open: number;
}

/** A canary that has passed stays passed while policy and rule are unchanged; caching this saves a read per eviction. */
const remembersFor: Milliseconds = 60_000;

/** `undefined` where the policy has no canary, or the canary has passed. */
export async function findCanary(
  deps: StepDependencies,
  state: State,
  { limiter, ruleSet }: At,
): Promise<FoundCanary | undefined> {
  const policy = policyOf(limiter, ruleSet);
  const canary = policy?.canary;
  if (!policy || !canary) return undefined;
  const passed = deps.memory.of('canaries passed', () => new Map<string, Instant>());
  const of = { limiter, epoch: epochsOf(ruleSet.rules)(limiter) };
  const key = `${state.cluster}|${limiter}|${of.epoch}|${canary.pods}|${canary.hold}`;
  const now = deps.clock.now();
  const since = passed.get(key);
  if (since !== undefined && now >= since && now - since < remembersFor) return undefined;
  const seats = await readCanary(state, of);
  const found = canaryState(canary, seats, now);
  if (found.kind !== 'Passed')
    return { of, policy, state: found, open: seats.filter(({ deletedAt }) => deletedAt === undefined).length };
  if (passed.size > 1000) passed.clear();
  passed.set(key, now);
  return undefined;
}

/** The write that frees a pod's permit, for the transaction that closes the pod's record. */
export function unseat(
  state: State,
  token: Token | undefined,
  by: { readonly uid: Uid; readonly deleted: boolean; readonly now: Instant },
): readonly Write[] {
  if (token?.canarySeat === undefined) return [];
  return [leaveSeat(state, token, { seat: token.canarySeat, ...by })];
}

/** Wakes the limiter when the canary's hold ends, or at once if a permit was freed. */
export async function wakeAfterCanary(deps: StepDependencies, state: State, token: Token | undefined): Promise<void> {
  if (token?.canarySeat === undefined) return;
  const { limiter } = token;
  const found = await findCanary(deps, state, { limiter, ruleSet: await currentRuleSet(state) });
  const notBefore = found?.state.kind === 'Holding' ? found.state.until : deps.clock.now();
  await deps.queues.sendEvict([{ cluster: state.cluster, limiter, notBefore }]);
}

/** For the rule's condition; each taint of a rule has its own canary. */
export async function canaryHoldOf(
  deps: StepDependencies,
  state: State,
  { taints }: Pick<ReportedRule, 'taints'>,
): Promise<Hold | undefined> {
  const acting = taints.filter(({ taint }) => evicts(taint));
  const held = await Promise.all(
    acting.map(async (rule) => {
      const limiter = ruleLimiter(rule);
      const found = await findCanary(deps, state, { limiter, ruleSet: { rules: taints } });
      const hold = found && canaryHold(found.policy, found.state, await waitingFor(state, limiter, found));
      return hold ? [{ key: rule.taint.key, hold }] : [];
    }),
  );
  const [first, ...others] = held.flat();
  if (!first || (others.length === 0 && acting.length === 1)) return first?.hold;
  const messages = held.flat().map(({ key, hold }) => `${key}: ${hold.message}`);
  return { ...first.hold, message: messages.join(' ') };
}

/** Number of listed pods without a permit. */
export async function waitingFor(state: State, limiter: LimiterId, { open }: FoundCanary): Promise<number> {
  return (await countListed(state, [limiter])).pods - open;
}
