// The cluster as the API server shows it now, in the form in which decisions are made: what a kubeconfig alone can answer.
import { project } from '../../adapters/kubernetes/project.ts';
import type { Projected } from '../../adapters/kubernetes/read.ts';
import {
  claimResource,
  classResource,
  namespaceResource,
  pacedRuleResource,
  podGroupResource,
  podResource,
  policyResource,
  type Resource,
  ruleResource,
  sliceResource,
  taintSliceResource,
} from '../../adapters/kubernetes/servedVersion.ts';
import { withPolicy } from '../../decide/policy.ts';
import { taintRulesOf } from '../../decide/ruleTaints.ts';
import { agentTaintsOf } from '../../decide/taintSlice.ts';
import type { Namespace } from '../../model/namespace.ts';
import type { DeviceClass, Pod, ResourceClaim, ResourceSlice } from '../../model/objects.ts';
import type { EvictionPolicy } from '../../model/policy.ts';
import type { ObjectKind, ObjectProjection } from '../../model/projection.ts';
import type { AnyRule, TaintRule } from '../../model/rule.ts';
import { defaultSettings, type Snapshot, settingsFor, snapshotOf } from '../../model/snapshot.ts';
import type { DeviceTaintSlice } from '../../model/taintSlice.ts';
import { kindOf, objectsOf, servedVersion } from './objects.ts';
import type { OpenCluster } from './open.ts';

export interface Picture {
  readonly snapshot: Snapshot;
  /** As they were written; those that Sluice wrote for the scheduler are left out. */
  readonly rules: readonly AnyRule[];
  readonly slices: readonly ResourceSlice[];
  /** Objects that cannot be read, in words: what they say is not in the picture. */
  readonly problems: readonly string[];
}

/** `namespace`: only its pods and claims. Pods without claims are left out as they come. */
export async function readPicture(
  cluster: OpenCluster,
  options: { readonly namespace?: string } = {},
): Promise<Picture> {
  const problems: string[] = [];
  const read = <T extends ObjectProjection>(resource: Resource, namespace?: string) =>
    readKind<T>(cluster, { resource, namespace, problems });
  const { namespace } = options;
  const [pods, claims, slices, native, paced, policies, taintSlices, classes, namespaces, podGroups] =
    await Promise.all([
      read<Pod>(podResource, namespace),
      read<ResourceClaim>(claimResource, namespace),
      read<ResourceSlice>(sliceResource),
      read<AnyRule>(ruleResource),
      read<AnyRule>(pacedRuleResource),
      read<EvictionPolicy>(policyResource),
      read<DeviceTaintSlice>(taintSliceResource),
      read<DeviceClass>(classResource),
      read<Namespace>(namespaceResource),
      servedVersion(cluster, podGroupResource),
    ]);
  const rules = [...native, ...paced].filter(
    (rule) => rule.kind !== 'DeviceTaintRule' || rule.projectedFrom === undefined,
  );
  const settings = settingsFor(defaultSettings, { podGroups: podGroups !== undefined });
  const expressions = new Map(classes.map(({ name, selectors }) => [name, selectors]));
  const taints = rules.flatMap((rule) => taintsOfRule(rule, { policies, classes: expressions }));
  const base = snapshotOf({ pods, claims, slices, rules: taints, settings });
  const snapshot: Snapshot = {
    ...base,
    policies,
    classes: expressions,
    namespaces: new Map(namespaces.map((one) => [one.name, one])),
    agentTaints: agentTaintsOf(taintSlices, base.pools),
  };
  return { snapshot, rules, slices, problems };
}

/** One per taint, each with its policy. */
export function taintsOfRule(
  rule: AnyRule,
  by: { readonly policies: readonly EvictionPolicy[]; readonly classes: NonNullable<Snapshot['classes']> },
): readonly TaintRule[] {
  return taintRulesOf(rule, by.classes).map((one) => withPolicy(one, by.policies));
}

async function readKind<T extends ObjectProjection>(
  cluster: OpenCluster,
  by: { readonly resource: Resource; readonly namespace: string | undefined; readonly problems: string[] },
): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const object of objectsOf(cluster, by.resource, { namespace: by.namespace })) {
    const projected = project(kindOf(by.resource) as ObjectKind, object) as Projected<T>;
    if (projected.kind === 'Unreadable') by.problems.push(projected.why);
    const kept = projected.kind === 'Projected' ? projected.object : projected.harmless;
    if (kept && isUsed(kept)) found.push(kept);
  }
  return found;
}

/** Pods without devices are most of a cluster, and nothing evicts them. */
function isUsed(object: ObjectProjection): boolean {
  if (object.kind !== 'Pod') return true;
  const { resourceClaims, extendedResourceClaimName, podGroupName } = object;
  return resourceClaims.length > 0 || extendedResourceClaimName !== undefined || podGroupName !== undefined;
}
