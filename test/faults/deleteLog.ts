// The API server's log of requests to delete pods: when each was sent, whether it took effect, and whether live objects required it.
import type { ApiRequest } from '../../lib/adapters/kubernetes/apiClient.ts';
import type { KubeObject } from '../../lib/local/cluster/object.ts';
import type { RequestInfo } from '../../lib/local/cluster/request.ts';
import type { Store } from '../../lib/local/cluster/store.ts';
import type { Instant } from '../../lib/model/time.ts';

/** A request to delete one pod, by DELETE or by the Eviction API. */
export interface DeleteRequest {
  readonly uid: string;
  readonly pod: string;
  readonly sentAt: Instant;
  readonly arrivedAt: Instant;
  /** Limiters by which live objects evicted the pod at an instant at which it may have been decided; absent if the pod was gone. */
  readonly because?: readonly string[];
  /** Whether this request began the deletion of the pod. */
  readonly took: boolean;
  /** Since when the pod had been terminating when the request was sent; absent if it was not. */
  readonly terminatingSince?: Instant;
}

/** Called before a request to delete a pod is carried out: by which limiters may it be evicted? */
export type Judge = (pod: KubeObject, sentAt: Instant) => readonly string[];

/** The facts about a request when it is sent. */
export type Sent = Pick<DeleteRequest, 'uid' | 'sentAt' | 'terminatingSince'>;

export interface DeleteLog {
  readonly deletes: readonly DeleteRequest[];
  sent(request: ApiRequest): Sent;
  /** Carries a request out, and logs it if it deletes an existing pod. */
  around<T>(parsed: RequestInfo, by: { readonly store: Store; readonly sent: Sent }, carryOut: () => T): T;
  /** The store was replaced: a pod that was being deleted may exist again, and not be terminating. */
  replaced(podAt: (key: string) => KubeObject | undefined): void;
  /** Whether a restored copy of etcd undid the deletion. */
  isUndone(request: DeleteRequest): boolean;
}

export function createDeleteLog(now: () => Instant, judge: () => Judge): DeleteLog {
  const deletes: DeleteRequest[] = [];
  const terminatingSince = new Map<string, Instant>();
  const undone = new Set<DeleteRequest>();
  return {
    deletes,
    isUndone: (request) => undone.has(request),
    replaced(podAt) {
      terminatingSince.clear();
      for (const request of deletes.filter(({ took }) => took)) {
        const { uid, deletionTimestamp } = podAt(request.pod)?.metadata ?? {};
        if (uid === request.uid && deletionTimestamp === undefined) undone.add(request);
      }
    },
    sent(request) {
      const uid = uidOf(request);
      const since = uid === undefined ? undefined : terminatingSince.get(uid);
      return { uid: uid ?? '', sentAt: now(), ...(since === undefined ? {} : { terminatingSince: since }) };
    },
    around(parsed, { store, sent }, carryOut) {
      const key = `${parsed.namespace}/${parsed.name}`;
      const target = isPodDeletion(parsed) ? store.get(parsed.resource, key) : undefined;
      if (!target) return carryOut();
      const { uid, deletionTimestamp } = target.metadata;
      const isThere = uid === sent.uid && deletionTimestamp === undefined;
      const because = isThere ? { because: judge()(target, sent.sentAt) } : {};
      try {
        return carryOut();
      } finally {
        const left = store.get(parsed.resource, key);
        const isGoing = left?.metadata.uid !== uid || left.metadata.deletionTimestamp !== undefined;
        const took = deletionTimestamp === undefined && isGoing;
        if (took) terminatingSince.set(uid, now());
        deletes.push({ ...sent, pod: key, arrivedAt: now(), took, ...because });
      }
    },
  };
}

function isPodDeletion({ resource, verb, subresource }: RequestInfo): boolean {
  return resource.kind === 'Pod' && (verb === 'delete' || (verb === 'create' && subresource === 'eviction'));
}

function uidOf({ body }: ApiRequest): string | undefined {
  const options = Object(Reflect.get(Object(body), 'deleteOptions') ?? body);
  const uid: unknown = Reflect.get(Object(Reflect.get(options, 'preconditions')), 'uid');
  return typeof uid === 'string' ? uid : undefined;
}
