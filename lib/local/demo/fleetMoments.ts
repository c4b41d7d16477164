// Keeps recent fleet snapshots: numbers from the state table are older than the store, and a frame must show both of one moment.
import { dueCondition } from '../../contract.ts';
import type { Instant, Milliseconds } from '../../model/time.ts';
import type { Clock } from '../../ports.ts';
import type { ClusterProgress } from '../../view/progress.ts';
import type { FleetSnapshot } from '../../view/screenSnapshot.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { listAt, textAt } from '../cluster/object.ts';
import { isUnderDeletion } from '../cluster/remove.ts';
import type { StoreChange } from '../cluster/store.ts';
import { readFleet } from './fleetSnapshot.ts';

/** Numbers of pods since the start of the program. */
export interface PodsCounted {
  /** Evicted or being deleted. */
  readonly deleted: number;
  /** Deleted pods plus pods that will be evicted. */
  readonly affected: number;
  /** Pods of `deleted` whose DELETE may not have been sent yet; absent: none. */
  readonly deleting?: number;
}

export interface FleetMoment<T> {
  readonly at: Instant;
  /** Number of pods that Sluice had deleted by then. */
  readonly deleted: number;
  /** Deleted pods plus pods on tainted devices. */
  readonly affected: number;
  readonly fleet: T;
}

/** Age at which moments are dropped, even if the state table is further behind. */
const kept: Milliseconds = 5000;

/** The moment of some numbers. */
export interface Matched<T> {
  readonly moment: FleetMoment<T>;
  /** The numbers count exactly the pods on its tainted devices. */
  readonly agrees: boolean;
}

/**
 * The newest moment at which no pod was deleted that the numbers do not count, because Sluice counts a pod before it sends its DELETE, and
 * at which they count each pod on a tainted device. If none agrees, as while a new taint is evaluated, or with pods that tolerate it, one
 * at which no more pods were on tainted devices; else deletes alone decide; if none agrees with these either, as after a delete whose
 * outcome is unknown, pods on tainted devices alone decide, else the newest of all. Oldest first; `undefined` without a moment.
 */
export function momentFor<T>(moments: readonly FleetMoment<T>[], counted: PodsCounted): Matched<T> | undefined {
  const left = counted.affected - counted.deleted;
  const isCounted = ({ deleted }: FleetMoment<T>) => deleted <= counted.deleted;
  const isLeft = ({ deleted, affected }: FleetMoment<T>) =>
    affected - deleted >= left && affected - deleted <= left + (counted.deleting ?? 0);
  const areCounted = moments.some(isCounted);
  const exact = moments.findLast((one) => isLeft(one) && (isCounted(one) || !areCounted));
  if (exact) return { moment: exact, agrees: true };
  const moment =
    moments.findLast((one) => isCounted(one) && one.affected <= counted.affected) ??
    moments.findLast(isCounted) ??
    moments.at(-1);
  return moment && { moment, agrees: false };
}

export interface FleetMoments {
  /** The fleet at the moment of these counts; `agrees`: as in `Matched`. */
  at(counted: PodsCounted): { readonly fleet: FleetSnapshot; readonly agrees: boolean };
  stop(): void;
}

export function followFleet(cluster: Cluster, clock: Clock): FleetMoments {
  let moments: readonly FleetMoment<FleetSnapshot>[] = [];
  let deleted = 0;
  const note = (): FleetSnapshot => {
    const [at, fleet] = [clock.now(), readFleet(cluster)];
    const tainted = fleet.nodes.flatMap(({ devices }) => devices).filter((state) => state === 'ToEvict').length;
    const moment = { at, deleted, affected: deleted + tainted, fleet };
    moments = [...moments.filter((one) => at - one.at < kept), moment];
    return fleet;
  };
  const unsubscribe = cluster.store.subscribe((change) => {
    if (!isDeletedBySluice(change)) return;
    deleted++;
    note();
  });
  return {
    at(counted) {
      const newest = note();
      const found = momentFor(moments, counted);
      return { fleet: found?.moment.fleet ?? newest, agrees: found?.agrees ?? false };
    },
    stop: unsubscribe,
  };
}

/** True once per pod: at the start of its grace period, else at its removal. Only Sluice sets this condition. */
function isDeletedBySluice({ resource, type, object, previous }: StoreChange): boolean {
  if (resource.plural !== 'pods' || (previous !== undefined && isUnderDeletion(previous))) return false;
  const isMarked = listAt(object, 'status', 'conditions').some((one) => textAt(one, 'type') === dueCondition);
  return isMarked && (type === 'DELETED' || isUnderDeletion(object));
}

/** As the progress of the same frame counts them. */
export function countedIn({ recent, pods }: ClusterProgress): PodsCounted {
  const { deleting } = pods;
  const deleted = (recent.total ?? recent).evicted + deleting;
  return { deleted, affected: deleted + pods.pending + pods.waiting, deleting };
}
