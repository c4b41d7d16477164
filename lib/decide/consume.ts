// Which allocated claims a pod uses, by its references, their owners and their reservations.
import { nameKey } from '../model/identity.ts';
import type { ConsumerReference, Pod, ResourceClaim } from '../model/objects.ts';
import type { Settings, Snapshot } from '../model/snapshot.ts';
import { isPod, parseReservedFor } from './reservedFor.ts';

const podGroupApiGroup = 'scheduling.k8s.io';

interface ClaimReference {
  readonly name: string;
  /** A generated claim counts only while its controller owner is the pod or the pod's group. */
  readonly needsOwner: boolean;
}

/** Names of all claims a pod refers to in any way, for indexes: a superset of the claims it uses. */
export function claimNamesOf(pod: Pod): readonly string[] {
  const names = referencesOf(pod).map((reference) => reference.name);
  return [...new Set(pod.extendedResourceClaimName ? [...names, pod.extendedResourceClaimName] : names)];
}

export type AllocatedClaim = ResourceClaim & { readonly allocation: NonNullable<ResourceClaim['allocation']> };

/** The allocated claims a pod is a consumer of (docs/reference/rules.md 3.2 to 3.6). */
export function consumedClaims(
  pod: Pod,
  { claims, settings }: Pick<Snapshot, 'claims' | 'settings'>,
): readonly AllocatedClaim[] {
  const references = [...referencesOf(pod)];
  if (settings.extendedResourceClaims && pod.extendedResourceClaimName) {
    references.push({ name: pod.extendedResourceClaimName, needsOwner: true });
  }
  const consumed = new Map<string, AllocatedClaim>();
  for (const { name, needsOwner } of references) {
    const claim = claims.get(nameKey({ namespace: pod.namespace, name }));
    if (!claim || !isAllocated(claim)) continue;
    if (needsOwner && !isOwner(pod, claim, settings)) continue;
    if (isConsumer(pod, claim, settings)) consumed.set(name, claim);
  }
  return [...consumed.values()];
}

function isAllocated(claim: ResourceClaim): claim is AllocatedClaim {
  return claim.allocation !== undefined;
}

/** Skips entries whose claim is not generated yet or not needed, and entries of a kind unknown to this API. */
function referencesOf(pod: Pod): readonly ClaimReference[] {
  return pod.resourceClaims.flatMap((entry): readonly ClaimReference[] => {
    if (entry.resourceClaimName) return [{ name: entry.resourceClaimName, needsOwner: false }];
    if (!entry.resourceClaimTemplateName) return [];
    const name = pod.resourceClaimStatuses.find((status) => status.name === entry.name)?.resourceClaimName;
    return name ? [{ name, needsOwner: true }] : [];
  });
}

function isOwner(pod: Pod, claim: ResourceClaim, settings: Settings): boolean {
  const owner = claim.controller;
  if (!owner) return false;
  if (owner.uid === pod.uid) return true;
  return (
    settings.workloadClaims &&
    owner.kind === 'PodGroup' &&
    owner.apiVersion.split('/')[0] === podGroupApiGroup &&
    owner.name === pod.podGroupName
  );
}

/** Names of the pods that a claim is reserved for; `undefined` if other pods that refer to the claim may be consumers too. */
export function reservedPods(claim: ResourceClaim): readonly string[] | undefined {
  const { reservedFor, allocation, specReservedFor } = claim;
  const isForOthers =
    allocation?.reservedForAnyPod === true ||
    specReservedFor !== undefined ||
    parseReservedFor(claim).kind === 'Consumer' ||
    reservedFor.some((entry) => !isPod(entry));
  return isForOthers ? undefined : reservedFor.map(({ name }) => name);
}

/**
 * Whether a claim is reserved for a pod:
 * - an entry has the pod's UID (only the UID is compared);
 * - with workload claims, an entry names the pod's PodGroup;
 * - with non-pod consumers (KEP-5194), the claim is reserved for something that is not a pod.
 */
function isConsumer(pod: Pod, claim: AllocatedClaim, settings: Settings): boolean {
  return (
    claim.reservedFor.some((entry) => entry.uid === pod.uid) ||
    (settings.workloadClaims && claim.reservedFor.some((entry) => isGroupOf(pod, entry))) ||
    (settings.nonPodConsumers && isForAnyPod(claim, settings))
  );
}

function isGroupOf(pod: Pod, entry: ConsumerReference): boolean {
  return isPodGroup(entry) && entry.name === pod.podGroupName;
}

/**
 * Whether every pod that refers to a claim may use it. With workload claims on, a PodGroup counts for its own pods only; `isGroupOf`
 * decides that.
 */
function isForAnyPod(claim: AllocatedClaim, settings: Settings): boolean {
  const annotated = parseReservedFor(claim);
  return (
    claim.allocation.reservedForAnyPod === true ||
    (claim.specReservedFor !== undefined && !isPod(claim.specReservedFor)) ||
    annotated.kind === 'Consumer' ||
    claim.reservedFor.some((entry) => !isPod(entry) && !(settings.workloadClaims && isPodGroup(entry)))
  );
}

function isPodGroup(entry: ConsumerReference): boolean {
  return entry.apiGroup === podGroupApiGroup && entry.resource === 'podgroups';
}
