// Lists the cluster into a picture, the input of eviction decisions; needs only a kubeconfig.
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
import { nameKey } from '../../model/identity.ts';
import type { Namespace } from '../../model/namespace.ts';
import type { DeviceClass, Pod, ResourceClaim, ResourceSlice } from '../../model/objects.ts';
import type { EvictionPolicy } from '../../model/policy.ts';
import type { ObjectKind, ObjectProjection } from '../../model/projection.ts';
import type { AnyRule } from '../../model/rule.ts';
import { poolsOf } from '../../model/snapshot.ts';
import type { DeviceTaintSlice } from '../../model/taintSlice.ts';
import { addTold, type Picture, pictureOf } from './assemble.ts';
import { kindOf } from './kindOf.ts';
import { objectsOf } from './objects.ts';
import type { OpenCluster } from './open.ts';
import { servedVersion } from './served.ts';
import { readStopped } from './stopped.ts';

/** `namespace`: only pods and claims of that namespace. Pods without claims are dropped while listing, to save memory. */
export async function readPicture(
  cluster: OpenCluster,
  options: { readonly namespace?: string } = {},
): Promise<Picture> {
  if (cluster.followed) return followedPicture(cluster.followed(), options.namespace);
  const problems: string[] = [];
  const told = new Map<string, string>();
  const read = <T extends ObjectProjection>(resource: Resource, namespace?: string) =>
    readKind<T>(cluster, { resource, namespace, problems, told });
  const { namespace } = options;
  const [pods, claims, slices, native, paced, policies, taintSlices, classes, namespaces, podGroups, stop] =
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
      readStopped(cluster),
    ]);
  const rules = [...native, ...paced].filter(isWritten);
  const claimsByKey = new Map(claims.map((one) => [nameKey(one), one]));
  const parts = { pods, claims: claimsByKey, pools: poolsOf(slices), policies, taintSlices, classes, namespaces };
  return {
    ...pictureOf({ ...parts, rules, hasPodGroups: podGroups !== undefined }),
    ...stop,
    told,
    problems: [...problems, ...stop.problems],
  };
}

function followedPicture(picture: Picture, namespace: string | undefined): Picture {
  if (namespace === undefined) return picture;
  const { snapshot } = picture;
  return { ...picture, snapshot: { ...snapshot, pods: snapshot.pods.filter((pod) => pod.namespace === namespace) } };
}

/** False for native rules that Sluice projected from PacedTaintRules. */
function isWritten(rule: AnyRule): boolean {
  return rule.kind !== 'DeviceTaintRule' || rule.projectedFrom === undefined;
}

async function readKind<T extends ObjectProjection>(
  cluster: OpenCluster,
  by: {
    readonly resource: Resource;
    readonly namespace: string | undefined;
    readonly problems: string[];
    readonly told: Map<string, string>;
  },
): Promise<readonly T[]> {
  const found: T[] = [];
  const kind = kindOf(by.resource) as ObjectKind;
  for await (const object of objectsOf(cluster, by.resource, { namespace: by.namespace })) {
    const projected = project(kind, object) as Projected<T>;
    addTold(by.told, kind, object);
    if (projected.kind === 'Unreadable') by.problems.push(projected.why);
    const kept = projected.kind === 'Projected' ? projected.object : projected.harmless;
    if (kept && isUsed(kept)) found.push(kept);
  }
  return found;
}

/** Most pods have no devices, and Sluice never evicts those. */
function isUsed(object: ObjectProjection): boolean {
  if (object.kind !== 'Pod') return true;
  const { resourceClaims, extendedResourceClaimName, podGroupName } = object;
  return resourceClaims.length > 0 || extendedResourceClaimName !== undefined || podGroupName !== undefined;
}
