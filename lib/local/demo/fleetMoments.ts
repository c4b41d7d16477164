// Pictures of the fleet from the last seconds: numbers from the table are older than the store, and a frame shows both of one moment.
import type { Instant, Milliseconds } from '../../model/time.ts';
import type { Clock } from '../../ports.ts';
import type { FleetSnapshot } from '../../view/screenSnapshot.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { listAt, textAt } from '../cluster/object.ts';
import { isUnderDeletion } from '../cluster/remove.ts';
import type { StoreChange } from '../cluster/store.ts';
import { readFleet } from './fleetSnapshot.ts';

export interface FleetMoment<T> {
  readonly at: Instant;
  /** Pods that Sluice had deleted by then. */
  readonly deleted: number;
  readonly fleet: T;
}

/** A table that is read for longer than this is not waited for. */
const kept: Milliseconds = 3000;

/**
 * The newest moment at which no pod was deleted that the numbers do not count: a pod is counted as being deleted before its DELETE is
 * sent. Where none agrees, as after a delete whose outcome is not known, the newest of all. Oldest first, at least one.
 */
export function momentFor<T>(moments: readonly FleetMoment<T>[], counted: number): FleetMoment<T> | undefined {
  return moments.findLast(({ deleted }) => deleted <= counted) ?? moments.at(-1);
}

export interface FleetMoments {
  /** The fleet as it was when `counted` pods were deleted or about to be. */
  at(counted: number): FleetSnapshot;
  stop(): void;
}

export function followFleet(cluster: Cluster, clock: Clock): FleetMoments {
  let moments: readonly FleetMoment<FleetSnapshot>[] = [];
  let deleted = 0;
  const note = (): FleetSnapshot => {
    const [at, fleet] = [clock.now(), readFleet(cluster)];
    moments = [...moments.filter((one) => at - one.at < kept), { at, deleted, fleet }];
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

/** Once for each pod: when its grace period begins, or where it has none. Who moves a pod of the demo marks it with nothing. */
function isDeletedBySluice({ resource, type, object, previous }: StoreChange): boolean {
  if (resource.plural !== 'pods' || (previous !== undefined && isUnderDeletion(previous))) return false;
  const isMarked = listAt(object, 'status', 'conditions').some((one) => textAt(one, 'type') === 'DisruptionTarget');
  return isMarked && (type === 'DELETED' || isUnderDeletion(object));
}
