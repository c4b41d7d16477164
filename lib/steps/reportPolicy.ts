// Says on an EvictionPolicy whether it can be used.
import { policyHold } from '../decide/policy.ts';
import { opennessOf } from '../decide/window.ts';
import { type EvictionPolicy, policyRef } from '../model/policy.ts';
import { beginReport } from '../state/reportRows.ts';
import type { State } from '../state/state.ts';
import type { ClusterAccess, ClusterStepDependencies } from './step.ts';

const accepted = 'Accepted';

/** Throws where the API server cannot be reached, so that the message comes back. */
export async function reportPolicy(
  deps: ClusterStepDependencies,
  state: State,
  by: { readonly name: string; readonly access: ClusterAccess },
): Promise<undefined> {
  const { name, access } = by;
  await beginReport(state, policyRef(name));
  const live = await access.policies.read(name);
  if (live.kind === 'NotFound') return;
  if (live.kind === 'RetryLater') throw new Error(`EvictionPolicy ${name}: ${live.why}`);
  if (live.kind === 'Refused') {
    deps.log.error('policy cannot be read', { cluster: state.cluster, name, why: live.why });
    return;
  }
  const now = deps.clock.now();
  const content = contentOf(live.policy, now);
  const previous = live.conditions.find(({ type }) => type === accepted);
  const isSame = previous?.status === content.status && previous.message === content.message;
  if (isSame && previous.observedGeneration === live.policy.generation) return;
  const lastTransitionTime = previous?.status === content.status ? previous.lastTransitionTime : now;
  const condition = { type: accepted, ...content, observedGeneration: live.policy.generation, lastTransitionTime };
  const written = await access.policies.applyConditions(live.policy, [condition]);
  if (written.kind === 'RetryLater') throw new Error(`EvictionPolicy ${name}: ${written.why}`);
  if (written.kind === 'Refused')
    deps.log.error('condition refused', { cluster: state.cluster, name, why: written.why });
}

/** What it selects stands still while it cannot be used, which is worth saying where the mistake was made. */
function contentOf(policy: EvictionPolicy, now: number) {
  const hold = policyHold(policy, now);
  if (hold?.reason === 'PolicyUnusable')
    return { status: 'False', reason: hold.reason, message: hold.message } as const;
  const openness = opennessOf(policy.windows ?? [], now);
  if (policy.windows && openness.kind === 'Closed' && openness.opensAt === undefined)
    return { status: 'False', reason: 'NeverOpens', message: 'Its windows never open, so nobody is evicted.' } as const;
  return { status: 'True', reason: 'Accepted', message: 'It can be used.' } as const;
}
