// Keeps recent fleet snapshots: numbers from the state table are older than the store, and a frame must show both of one moment.
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

/**
 * The newest moment at which no pod was deleted and no used device was tainted that the numbers do not count: Sluice counts a pod before
 * it sends its DELETE, and a pod of a new taint once it is evaluated. If none agrees, as with pods that tolerate a taint, deletes alone
 * decide; if none agrees with these either, as after a delete whose outcome is unknown, the newest of all. Oldest first, at least one.
 */
export function momentFor<T>(moments: readonly FleetMoment<T>[], counted: PodsCounted): FleetMoment<T> | undefined {
  const isCounted = ({ deleted }: FleetMoment<T>) => deleted <= counted.deleted;
  return (
    moments.findLast((one) => isCounted(one) && one.affected <= counted.affected) ??
    moments.findLast(isCounted) ??
    moments.at(-1)
  );
}

export interface FleetMoments {
  /** The fleet at the moment of these counts. */
  at(counted: PodsCounted): FleetSnapshot;
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
      return momentFor(moments, counted)?.fleet ?? newest;
    },
    stop: unsubscribe,
  };
}

/** True once per pod: at the start of its grace period, else at its removal. The demo's own deletes set no DisruptionTarget. */
function isDeletedBySluice({ resource, type, object, previous }: StoreChange): boolean {
  if (resource.plural !== 'pods' || (previous !== undefined && isUnderDeletion(previous))) return false;
  const isMarked = listAt(object, 'status', 'conditions').some((one) => textAt(one, 'type') === 'DisruptionTarget');
  return isMarked && (type === 'DELETED' || isUnderDeletion(object));
}

/** As the progress of the same frame counts them. */
export function countedIn({ recent, pods }: ClusterProgress): PodsCounted {
  const deleted = (recent.total ?? recent).evicted + pods.deleting;
  return { deleted, affected: deleted + pods.pending + pods.waiting };
}
