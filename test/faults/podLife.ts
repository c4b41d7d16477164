// Kubelets and controllers of a history: they end terminating pods, deallocate their claims and recreate the pods.
import { at as fieldAt, type KubeObject, listAt } from '../../lib/local/cluster/object.ts';
import type { Instant, Milliseconds } from '../../lib/model/time.ts';
import type { ApiServer } from './apiServer.ts';

export const namespace = 'ml';

export interface PodLife {
  readonly api: ApiServer;
  readonly now: () => Instant;
  readonly at: (instant: Instant, run: () => void) => void;
  /** The delay of a kubelet or a controller. */
  readonly soon: () => Milliseconds;
  /** The device on which a pod is recreated; none if it is not. */
  readonly comesBack: () => number | undefined;
  readonly comeBack: (index: number, device: number) => void;
}

/** Serves the current store of the API server, until it is replaced. */
export function followPods({ api, now, at, soon, comesBack, comeBack }: PodLife): void {
  const { store } = api;
  const [pods, claims] = [api.resource('pods'), api.resource('resourceclaims')];
  const later = (run: () => void) => at(now() + soon(), () => (api.store === store ? run() : undefined));
  const endSoon = ({ metadata: { name, uid } }: KubeObject) =>
    later(() => {
      const left = store.get(pods, `${namespace}/${name}`);
      if (left?.metadata.uid === uid) store.remove(pods, left);
    });
  for (const pod of store.list(pods)) if (pod.metadata.deletionTimestamp !== undefined) endSoon(pod);
  store.subscribe(({ resource, type, object }) => {
    if (resource !== pods) return;
    const { name, uid, deletionTimestamp } = object.metadata;
    const index = Number(name.replace('pod-', ''));
    if (type === 'DELETED') {
      later(() => {
        const claim = store.get(claims, `${namespace}/claim-${index}`);
        const holds = listAt(claim, 'status', 'reservedFor').some((one) => fieldAt(one, 'uid') === uid);
        if (claim && holds) store.put(claims, { ...claim, status: {} } as KubeObject);
        const device = comesBack();
        if (device !== undefined) comeBack(index, device);
      });
    } else if (deletionTimestamp !== undefined) endSoon(object);
  });
}
