// Evictions in flight of one node or one owner: a row for each seat, which nobody gives back and the next one takes over.
import { type FlightScope, type FlightSeat, isInFlight } from '../decide/inFlight.ts';
import type { Uid } from '../model/identity.ts';
import type { Instant } from '../model/time.ts';
import { absent, compare, queryAll, type Row, type Write } from '../table.ts';
import { readPods } from './podRows.ts';
import { flightPartition, flightSeatKey } from './seatKeys.ts';
import type { State } from './state.ts';

/** For so long a pod that never ends holds its seat. */
const retentionSeconds = 7 * 24 * 3600;

type Scope = Pick<FlightScope, 'kind' | 'of'>;

/** Every seat that was ever taken, and the pods that need theirs still. Seats come before pods: who boards meanwhile moves a turn. */
export async function readInFlight(
  state: State,
  scope: Scope,
): Promise<{ readonly seats: readonly FlightSeat[]; readonly inFlight: ReadonlySet<Uid> }> {
  const seats = (await queryAll(state.table, { pk: flightPartition(state.cluster, scope) })).map(seatOf);
  const pods = await readPods(state, [...new Set(seats.map(({ pod }) => pod))]);
  const rows = new Map(pods.map((row) => [row.key, row]));
  const needed = seats.filter((one) => isInFlight(one, rows.get(one.pod)));
  return { seats, inFlight: new Set(needed.map(({ uid }) => uid)) };
}

function seatOf({ seat, uid, pod, turn }: Row): FlightSeat {
  return { seat: seat as number, uid: uid as Uid, pod: pod as string, turn: turn as number };
}

/**
 * Belongs in the transaction after which the pod may be deleted. Two who take one seat, from whomever, find each other by its turn:
 * the pod that had it may be having it again.
 */
export function boardFlight(
  state: State,
  scope: Scope,
  by: {
    readonly seat: number;
    readonly before?: FlightSeat;
    readonly pod: string;
    readonly uid: Uid;
    readonly now: Instant;
  },
): Write {
  const { seat, before, pod, uid, now } = by;
  const ttl = Math.floor(now / 1000) + retentionSeconds;
  const turn = (before?.turn ?? 0) + 1;
  return {
    kind: 'Put',
    row: { ...flightSeatKey(state.cluster, scope, seat), seat, uid, pod, turn, ttl },
    when: before ? compare('turn', '=', before.turn) : absent('turn'),
  };
}
