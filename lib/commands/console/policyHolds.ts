// Removes what holds all pods under an EvictionPolicy by design: its canary or its windows.
import { type Json, objectOf } from '../../adapters/kubernetes/read.ts';
import { policyResource } from '../../adapters/kubernetes/servedVersion.ts';
import type { EvictionStop } from '../../model/stop.ts';
import type { HoldingField } from '../../view/console/act.ts';
import type { Preview } from '../../view/console/actPage.ts';
import { patchObject, uidOf } from '../cluster/objects.ts';
import { NotFound, UsageFailure } from '../failure.ts';
import { requirePolicy } from '../get/policies.ts';
import type { Acting } from './acting.ts';
import { countedIn, uncounted } from './counts.ts';
import { leftOf, stillHeldText, withPolicyChanged } from './stillHeld.ts';

const after: Readonly<Record<HoldingField, string>> = {
  canary: 'The rule continues without a canary.',
  windows: 'Evictions are then allowed at any time.',
};
/** Labels of the buttons. */
export const endOf: Readonly<Record<HoldingField, string>> = {
  canary: 'End the canary',
  windows: 'Remove the windows',
};

export async function previewRemoval(
  acting: Acting,
  { subject, stops }: { readonly subject: string; readonly stops: readonly EvictionStop[] },
): Promise<Preview> {
  const { name } = acting.request;
  const { field, policy } = await fieldIn(acting);
  const common = { title: `Remove ${subject}`, fields: [], button: endOf[field] };
  const change = `spec.${field} is removed from EvictionPolicy ${name}, for all taints that it selects. ${after[field]} Apply its manifest to set it again.`;
  const unknown = uncounted(acting);
  if (unknown !== undefined) return { ...common, effect: [unknown, change], isUncounted: true };
  const seen = await countedIn(acting);
  const snapshot = withPolicyChanged(seen, name, ({ [field]: _, ...rest }) => rest);
  const ended = field === 'canary' ? 'Canary' : 'OutsideWindow';
  const of = { kind: 'policy', name } as const;
  const effect = stillHeldText(of, { ...leftOf(acting, stops), snapshot, ended }, 'can be evicted');
  const left = fieldsLeft(objectOf(policy.spec), field);
  const hidden = `${new Intl.ListFormat('en-GB').format(left)} of the policy may still hold pods.`;
  return { ...common, effect: [effect, change, ...(left.length === 0 ? [] : [hidden])] };
}

/** Conditions give one hold at a time, and a closed window comes before those of these fields. */
function fieldsLeft(spec: Json, removed: HoldingField): readonly string[] {
  const holding = ['canary', 'approval', 'limits', 'observer'].filter((one) => one !== removed);
  return holding.filter((one) => spec[one] !== undefined).map((one) => `spec.${one}`);
}

export async function removeField(acting: Acting): Promise<string> {
  const { cluster, request } = acting;
  const { field, policy } = await fieldIn(acting);
  const patch = { metadata: { uid: uidOf(policy) }, spec: { [field]: null } };
  await patchObject(cluster, { resource: policyResource, name: request.name }, patch);
  return `spec.${field} of EvictionPolicy ${request.name} is removed`;
}

/** The field that the request names, and the policy that has it. */
async function fieldIn({ cluster, request }: Acting): Promise<{ readonly field: HoldingField; readonly policy: Json }> {
  const { name, field } = request;
  if (field === undefined) throw new UsageFailure('no field to remove is named');
  const policy = await requirePolicy(cluster, name);
  if (objectOf(policy.spec)[field] === undefined)
    throw new NotFound(`EvictionPolicy ${name} has no spec.${field}`, 'see: sluice get policies');
  return { field, policy };
}
