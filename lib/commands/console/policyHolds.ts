// Ends what holds all pods under an EvictionPolicy by design: removes its canary or its windows.
import { objectOf } from '../../adapters/kubernetes/read.ts';
import { policyResource } from '../../adapters/kubernetes/servedVersion.ts';
import { heldText } from '../../decide/planHold.ts';
import { policyHold } from '../../decide/policy.ts';
import type { EvictionPolicy } from '../../model/policy.ts';
import { type EvictionStop, stoppedBy } from '../../model/stop.ts';
import type { ActionRequest } from '../../view/console/act.ts';
import type { Preview } from '../../view/console/actPage.ts';
import { patchObject, uidOf } from '../cluster/objects.ts';
import { Failure } from '../failure.ts';
import { requirePolicy } from '../get/policies.ts';
import type { Acting } from './acting.ts';
import { countedIn, keptText, uncounted } from './counts.ts';

type Field = 'canary' | 'windows';

/** What holds, as the name of a pause: `spec.canary`. */
export const pauseOfField = (field: Field) => `spec.${field}`;

const after: Readonly<Record<Field, string>> = {
  canary: 'The rule continues without a canary.',
  windows: 'Evictions are then allowed at any time.',
};
export const endOf: Readonly<Record<Field, string>> = { canary: 'End the canary', windows: 'Remove the windows' };

/** The field that the request removes; absent for requests that end a pause. */
export function fieldToRemove({ action, kind, pause }: ActionRequest): Field | undefined {
  if (action !== 'resume' || kind !== 'policy') return undefined;
  return (['canary', 'windows'] as const).find((field) => pauseOfField(field) === pause);
}

/** `End the canary of EvictionPolicy a`. */
export function removalTitle(field: Field, policy: string): string {
  return `${endOf[field]} of EvictionPolicy ${policy}`;
}

export async function previewRemoval(
  acting: Acting,
  { field, stops }: { readonly field: Field; readonly stops: readonly EvictionStop[] },
): Promise<Preview> {
  const { name } = acting.request;
  await policyWith(acting, field);
  const common = { title: removalTitle(field, name), fields: [], button: endOf[field] };
  const change = `${pauseOfField(field)} is removed from EvictionPolicy ${name}, for all taints that it selects. ${after[field]} Apply its manifest to set it again.`;
  const unknown = uncounted(acting);
  if (unknown !== undefined) return { ...common, effect: [unknown, change], isUncounted: true };
  const snapshot = await countedIn(acting);
  const kept = (words: readonly [string, string]) => keptText({ kind: 'policy', name }, snapshot, words);
  const policy = snapshot.policies?.find((one) => one.name === name);
  const held = stops.length > 0 ? stoppedBy(stops) : heldWithout(policy, field, acting.io.now());
  const effect =
    held === undefined
      ? `${kept(['can be evicted', 'can be evicted'])}, at the configured rates.`
      : `${kept(['is still kept', 'are still kept'])}: ${held}.`;
  return { ...common, effect: [effect, change] };
}

export async function removeField(acting: Acting, field: Field): Promise<readonly string[]> {
  const { cluster, request } = acting;
  const policy = await policyWith(acting, field);
  const patch = { metadata: { uid: uidOf(policy) }, spec: { [field]: null } };
  await patchObject(cluster, { resource: policyResource, name: request.name }, patch);
  return [`${pauseOfField(field)} of EvictionPolicy ${request.name} is removed`];
}

async function policyWith({ cluster, request }: Acting, field: Field) {
  const policy = await requirePolicy(cluster, request.name);
  if (objectOf(policy.spec)[field] === undefined)
    throw new Failure(`EvictionPolicy ${request.name} has no ${pauseOfField(field)}`, 'see: sluice get policies');
  return policy;
}

function heldWithout(policy: EvictionPolicy | undefined, field: Field, now: number): string | undefined {
  if (!policy) return undefined;
  const { [field]: _, ...rest } = policy;
  return heldText(policyHold(rest, now), {});
}
