// Deletes objects with preconditions, grace period of scheduled pods and finalizers; evicts pods by the Eviction subresource.
import { failedPrecondition } from './apiStatus.ts';
import { useBudgets } from './budgets.ts';
import { at, isMap, type JsonMap, type KubeObject, listAt, mapAt, textAt } from './object.ts';
import type { ResourceType } from './resources.ts';
import type { Store } from './store.ts';
import { timestamp } from './timestamps.ts';

export interface Removal {
  readonly store: Store;
  readonly resource: ResourceType;
  readonly object: KubeObject;
  /** DeleteOptions as sent; empty without a body. */
  readonly options: JsonMap;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** Returns the response body of DELETE. */
export function remove(removal: Removal): JsonMap {
  const { store, resource, object, options } = removal;
  checkDeletePreconditions(resource, object, options);
  const grace = graceSeconds(removal);
  const marked = marksAgain(object, grace) ? mark(removal, grace) : object;
  if (grace > 0 || hasFinalizers(marked)) return marked;
  store.remove(resource, marked);
  return resource.returnsDeleted ? marked : deletedStatus(resource, object);
}

function checkDeletePreconditions(resource: ResourceType, object: KubeObject, options: JsonMap): void {
  const { uid, resourceVersion, name } = object.metadata;
  const wanted = mapAt(options, 'preconditions') ?? {};
  if (wanted.uid && wanted.uid !== uid) {
    const why =
      `the UID in the precondition (${wanted.uid}) does not match the UID in record (${uid}). ` +
      'The object might have been deleted and then recreated';
    throw failedPrecondition(resource, name, why);
  }
  if (wanted.resourceVersion && wanted.resourceVersion !== resourceVersion) {
    const why =
      `the ResourceVersion in the precondition (${wanted.resourceVersion}) does not match the ` +
      `ResourceVersion in record (${resourceVersion}). The object might have been modified`;
    throw failedPrecondition(resource, name, why);
  }
}

/** 0 for immediate deletion: not a pod, not scheduled, or finished. A later delete can only shorten the period. */
function graceSeconds({ resource, object, options }: Removal): number {
  const phase = textAt(object, 'status', 'phase') ?? '';
  const finished = phase === 'Succeeded' || phase === 'Failed';
  if (!resource.deletesGracefully || !textAt(object, 'spec', 'nodeName') || finished) return 0;
  const own = at(object, 'spec', 'terminationGracePeriodSeconds');
  const asked = options.gracePeriodSeconds;
  const wanted = typeof asked === 'number' ? asked : typeof own === 'number' ? own : 30;
  const running = object.metadata.deletionGracePeriodSeconds;
  if (running === undefined) return Math.max(wanted, 0);
  return typeof asked === 'number' ? Math.min(Math.max(asked, 0), running) : running;
}

function marksAgain(object: KubeObject, grace: number): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds } = object.metadata;
  return deletionTimestamp === undefined || deletionGracePeriodSeconds !== grace;
}

/** Sets deletionTimestamp; skipped for objects other than pods without finalizers, which are removed at once. */
function mark({ store, resource, object, now }: Removal, grace: number): KubeObject {
  if (!resource.deletesGracefully && !hasFinalizers(object)) return object;
  const { generation, deletionTimestamp } = object.metadata;
  const metadata = {
    ...object.metadata,
    ...(generation !== undefined && { generation: deletionTimestamp ? generation : generation + 1 }),
    deletionTimestamp: timestamp(now + grace * 1000),
    deletionGracePeriodSeconds: grace,
  };
  return store.put(resource, { ...object, metadata });
}

function hasFinalizers(object: KubeObject): boolean {
  return (object.metadata.finalizers ?? []).length > 0;
}

export function isUnderDeletion(object: KubeObject): boolean {
  return object.metadata.deletionTimestamp !== undefined;
}

/** Removes an object under deletion once neither finalizers nor a grace period keep it; returns false if one still does. */
export function removeIfReleased(store: Store, resource: ResourceType, object: KubeObject): boolean {
  if (hasFinalizers(object) || (object.metadata.deletionGracePeriodSeconds ?? 0) > 0) return false;
  store.remove(resource, object);
  return true;
}

function deletedStatus(resource: ResourceType, object: KubeObject): JsonMap {
  const { name, uid } = object.metadata;
  const details = { name, ...(resource.group && { group: resource.group }), kind: resource.plural, uid };
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details };
}

/** Eviction subresource: checks PodDisruptionBudgets, sets the pod's condition and deletes the pod. */
export function evict(removal: Omit<Removal, 'options'>, eviction: JsonMap): JsonMap {
  const { store, resource, object, now } = removal;
  const options = mapAt(eviction, 'deleteOptions') ?? {};
  checkDeletePreconditions(resource, object, options);
  useBudgets(store, object, now);
  const condition = {
    type: 'DisruptionTarget',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: timestamp(now),
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
  };
  const others = listAt(object, 'status', 'conditions').filter((each) => isMap(each) && each.type !== condition.type);
  const status = { ...mapAt(object, 'status'), conditions: [...others, condition] };
  const marked = store.put(resource, { ...object, status });
  remove({ ...removal, object: marked, options: { gracePeriodSeconds: options.gracePeriodSeconds } });
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };
}
