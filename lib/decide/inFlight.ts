// Which evictions count together so that not too many of one node or one owner are in flight, and whether one more may be.
import type { Ledger } from '../model/eviction.ts';
import type { Uid } from '../model/identity.ts';
import type { Pod } from '../model/objects.ts';
import type { AtOnce, EvictionLimits } from '../model/policy.ts';
import { type Census, percentOf } from './census.ts';

/** Evictions that count together. */
export interface FlightScope {
  readonly kind: 'Node' | 'Workload';
  /** The node's name, or the UID of the pods' controller. */
  readonly of: string;
  readonly atOnce: AtOnce;
}

/** A pod without a node, or without a controller, counts with nobody there. */
export function scopesOf(pod: Pod, limits: EvictionLimits | undefined): readonly FlightScope[] {
  const { maxPerNode, maxPerWorkload } = limits ?? {};
  const { nodeName, controller } = pod;
  return [
    ...(maxPerNode && nodeName ? [{ kind: 'Node', of: nodeName, atOnce: maxPerNode } as const] : []),
    ...(maxPerWorkload && controller
      ? [{ kind: 'Workload', of: controller.uid, atOnce: maxPerWorkload } as const]
      : []),
  ];
}

export function limitsFlight(limits: EvictionLimits | undefined): boolean {
  return limits?.maxPerNode !== undefined || limits?.maxPerWorkload !== undefined;
}

/** How many evictions there may be at once; a percentage is of the pods there that use devices, rounded up and at least one. */
export function mostAtOnce({ kind, of, atOnce }: FlightScope, census: Census | undefined): number {
  if ('count' in atOnce) return atOnce.count;
  const pods = (kind === 'Node' ? census?.byNode : census?.byWorkload)?.get(of) ?? 0;
  return percentOf(atOnce.percent, pods);
}

/** One eviction has a seat of its scope from its intent on until its pod is gone. */
export interface FlightSeat {
  readonly seat: number;
  readonly uid: Uid;
  /** `namespace/name`. */
  readonly pod: string;
  /** Moves with everybody who takes the seat. */
  readonly turn: number;
}

/** Whether whoever has a seat still needs it; `row`: of the pod's name, absent where nobody remembers it. */
export function isInFlight(
  { uid }: Pick<FlightSeat, 'uid'>,
  row: { readonly uid: Uid; readonly gone: boolean; readonly ledger?: Ledger } | undefined,
): boolean {
  if (row?.uid !== uid || row.gone || row.ledger?.podUid !== uid) return false;
  // A pod whose eviction ended as Gone may be terminating for long.
  return ['Deleting', 'Evicted', 'Gone'].includes(row.ledger.state);
}

/** The seat that one more eviction may take, and who had it before; `undefined` while there are as many as there may be. */
export function nextSeat(
  seats: readonly FlightSeat[],
  by: { readonly most: number; readonly inFlight: ReadonlySet<Uid> },
): { readonly seat: number; readonly before?: FlightSeat } | undefined {
  const taken = seats.filter(({ uid }) => by.inFlight.has(uid));
  if (taken.length >= by.most) return undefined;
  const numbers = new Set(taken.map(({ seat }) => seat));
  let seat = 0;
  while (numbers.has(seat)) seat++;
  const before = seats.find((one) => one.seat === seat);
  return before ? { seat, before } : { seat };
}
