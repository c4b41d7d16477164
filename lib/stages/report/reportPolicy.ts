// Writes the conditions of an EvictionPolicy: whether it is accepted, and which taints it holds.

import { policyHold } from '../../decide/policy.ts';
import { policyHeld, slicesWaiting } from '../../decide/sliceApproval.ts';
import { keptByWaves, waveEvent, wavesWaiting } from '../../decide/waveText.ts';
import { opennessOf } from '../../decide/window.ts';
import type { Hold } from '../../model/hold.ts';
import type { EvictionPolicy } from '../../model/policy.ts';
import type { ConditionType, ReasonOf } from '../../model/reasons.ts';
import type { RuleCondition } from '../../model/status.ts';
import type { Instant } from '../../model/time.ts';
import type { Wave } from '../../model/wave.ts';
import { currentRuleSet } from '../../state/currentRules.ts';
import type { State } from '../../state/state.ts';
import { readWaves } from '../../state/waveRows.ts';
import { modesNow } from '../../steps/ownedSnapshot.ts';
import { offerSlices } from '../../steps/sliceApproval.ts';
import type { ClusterAccess, ClusterStepDependencies } from '../../steps/step.ts';
import { checkWritten } from './checkWritten.ts';
import { withoutKind } from './liveRule.ts';
import { heldCondition } from './reportHold.ts';

const accepted = 'Accepted';

/** Throws where the API server cannot be reached, so that SQS redelivers the message. */
export async function reportPolicy(
  deps: ClusterStepDependencies,
  state: State,
  by: { readonly name: string; readonly access: ClusterAccess },
): Promise<undefined> {
  const { name, access } = by;
  const live = withoutKind(await access.live.read('EvictionPolicy', name));
  if (live.kind === 'NotFound') return;
  if (live.kind === 'RetryLater') throw new Error(`EvictionPolicy ${name}: ${live.why}`);
  if (live.kind === 'Refused') {
    deps.log.error('policy cannot be read', { cluster: state.cluster, name, why: live.why });
    return;
  }
  const now = deps.clock.now();
  const { object: policy, conditions: before } = live;
  const [waves, ruleSet] = await Promise.all([ownedWaves(deps, state, name), currentRuleSet(state)]);
  const { held, kept } = await offerSlices(deps, state, { policy, ruleSet });
  const hold = policyHeld(policy, {
    parts: [wavesWaiting(policy, waves), slicesWaiting(policy, held)],
    kept: [...keptByWaves(policy, waves), ...kept],
  });
  // One field manager owns all conditions: server-side apply removes a condition that is left out.
  const conditions = conditionsOf({ policy, hold, before, now });
  if (conditions.every((one) => isThere(one, before))) return;
  for (const wave of waves) {
    const event = waveEvent(policy, wave, now);
    if (event) await access.events.record(event);
  }
  const written = await access.policies.applyConditions(policy, conditions);
  checkWritten(deps, state, { object: `EvictionPolicy/${name}`, written });
}

/** Sluice neither holds nor reports taints for which another controller evicts. */
async function ownedWaves(deps: ClusterStepDependencies, state: State, policy: string): Promise<readonly Wave[]> {
  const [rows, modes] = await Promise.all([readWaves(state), modesNow(deps, state)]);
  const isOwned = ({ sources }: Wave) =>
    sources.some((source) => modes[source === 'ResourceSlice' ? 'native' : 'paced'] === 'own');
  return rows.map(({ wave }) => wave).filter((wave) => wave.policy === policy && isOwned(wave));
}

type Content<T extends ConditionType> = Pick<RuleCondition, 'status' | 'message'> & { readonly reason: ReasonOf<T> };

interface Said {
  readonly policy: EvictionPolicy;
  readonly hold: Hold | undefined;
  readonly before: readonly RuleCondition[];
  readonly now: Instant;
}

/** A policy that never held a taint gets no Held condition. */
function conditionsOf({ policy, hold, before, now }: Said): readonly RuleCondition[] {
  const wasHeld = before.some(({ type }) => type === heldCondition);
  const held: Content<typeof heldCondition> = hold
    ? { status: 'True', reason: hold.reason, message: hold.message }
    : { status: 'False', reason: 'NotHeld', message: 'No taint waits for an approval.' };
  const contents: readonly (readonly [string, Content<typeof accepted> | Content<typeof heldCondition>])[] = [
    [accepted, acceptedContent(policy, now)],
    ...(hold || wasHeld ? [[heldCondition, held] as const] : []),
  ];
  return contents.map(([type, content]) => {
    const previous = before.find((one) => one.type === type);
    const lastTransitionTime = previous?.status === content.status ? previous.lastTransitionTime : now;
    return { type, ...content, observedGeneration: policy.generation, lastTransitionTime };
  });
}

function isThere(condition: RuleCondition, before: readonly RuleCondition[]): boolean {
  const previous = before.find(({ type }) => type === condition.type);
  return (
    previous?.status === condition.status &&
    previous.message === condition.message &&
    previous.observedGeneration === condition.observedGeneration
  );
}

/** While a policy is unusable, no pod is evicted for its taints; the condition says so where the mistake was made. */
function acceptedContent(policy: EvictionPolicy, now: Instant): Content<typeof accepted> {
  const hold = policyHold(policy, now);
  if (hold?.reason === 'PolicyUnusable')
    return { status: 'False', reason: hold.reason, message: hold.message } as const;
  const openness = opennessOf(policy.windows ?? [], now);
  if (policy.windows && openness.kind === 'Closed' && openness.opensAt === undefined)
    return { status: 'False', reason: 'NeverOpens', message: 'Its windows never open, so no pod is evicted.' } as const;
  return { status: 'True', reason: 'Accepted', message: 'It can be used.' } as const;
}
