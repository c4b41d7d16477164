// Plays the resourceclaim controller: removes deleted or finished pods from reservedFor and deallocates unused claims.
import { isMap, type JsonMap, type KubeObject, listAt, mapAt, textAt, without } from './object.ts';
import { removeIfReleased } from './remove.ts';
import type { ResourceType } from './resources.ts';
import type { Store } from './store.ts';

/** Finalizer that the scheduler adds to an allocated claim. */
export const claimFinalizer = 'resource.kubernetes.io/delete-protection';

export interface ClaimControllerDeps {
  readonly store: Store;
  readonly pods: ResourceType;
  readonly claims: ResourceType;
}

/** Runs until the returned function is called. Handles each pod change in a separate turn of the event loop. */
export function startClaimController({ store, pods, claims }: ClaimControllerDeps): () => void {
  return store.subscribe((change) => {
    if (change.resource !== pods) return;
    const pod = change.object;
    const finished = ['Succeeded', 'Failed'].includes(textAt(pod, 'status', 'phase') ?? '');
    if (change.type === 'DELETED' || finished) queueMicrotask(() => releaseClaims(store, claims, pod));
  });
}

function releaseClaims(store: Store, claims: ResourceType, pod: KubeObject): void {
  for (const name of claimNames(pod)) {
    const claim = store.get(claims, `${pod.metadata.namespace}/${name}`);
    if (claim) release({ store, claims, claim, uid: pod.metadata.uid });
  }
}

/** Names of all claims of a pod, generated and shared. */
export function claimNames(pod: KubeObject): readonly string[] {
  const direct = listAt(pod, 'spec', 'resourceClaims').map((entry) => textAt(entry, 'resourceClaimName'));
  const generated = listAt(pod, 'status', 'resourceClaimStatuses').map((entry) => textAt(entry, 'resourceClaimName'));
  return [...new Set([...direct, ...generated].filter((name) => name !== undefined))];
}

interface Release {
  readonly store: Store;
  readonly claims: ResourceType;
  readonly claim: KubeObject;
  readonly uid: string;
}

function release({ store, claims, claim, uid }: Release): void {
  const before = listAt(claim, 'status', 'reservedFor');
  const reservedFor = before.filter((entry) => textAt(entry, 'uid') !== uid);
  const owned = (claim.metadata.ownerReferences ?? []).some((owner) => owner.uid === uid);
  if (reservedFor.length === before.length && !owned) return;
  const freed = reservedFor.length === 0;
  const status = freed ? withoutReservation(claim, 'allocation') : { ...mapAt(claim, 'status'), reservedFor };
  const finalizers = (claim.metadata.finalizers ?? []).filter((each) => !freed || each !== claimFinalizer);
  const kept = without(claim.metadata, 'finalizers') as KubeObject['metadata'];
  const metadata = finalizers.length > 0 ? { ...kept, finalizers } : kept;
  const stored = store.put(claims, { ...claim, metadata, status });
  if (owned && freed) removeIfReleased(store, claims, stored);
}

function withoutReservation(claim: KubeObject, ...also: readonly string[]): JsonMap {
  const status = mapAt(claim, 'status');
  return isMap(status) ? without(status, 'reservedFor', ...also) : {};
}
