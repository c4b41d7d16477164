// What kubelets and controllers do for the pods of a history: end those that are being deleted, free their claims, bring them back.
import { at as fieldAt, type KubeObject, listAt } from '../../lib/local/cluster/object.ts';
import type { Instant, Milliseconds } from '../../lib/model/time.ts';
import type { ApiServer } from './apiServer.ts';

export const namespace = 'ml';

export interface PodLife {
  readonly api: ApiServer;
  readonly now: () => Instant;
  readonly at: (instant: Instant, run: () => void) => void;
  /** How long a kubelet or a controller takes. */
  readonly soon: () => Milliseconds;
  /** On which device a pod comes back; none where it does not. */
  readonly comesBack: () => number | undefined;
  readonly comeBack: (index: number, device: number) => void;
}

/** Of the store that the API server has now, for as long as that has it. */
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
