// State of every published device for the fleet map, from cluster snapshots; recomputes only changed pools.
import { tolerationsOf, unreadTolerations } from '../../decide/annotatedTolerations.ts';
import { evicts } from '../../decide/taint.ts';
import { toleratedUntil } from '../../decide/tolerate.ts';
import type { DeviceId } from '../../model/identity.ts';
import type { Pool, Snapshot } from '../../model/snapshot.ts';
import type { Instant } from '../../model/time.ts';
import { type ClaimUses, createClaimUses, type Use } from './claimUses.ts';
import {
  createPoolsToRead,
  type DeviceTaints,
  holdsAt,
  type IsHeld,
  type TaintedBy,
  taintsOfPool,
} from './deviceTaints.ts';

/**
 * Most urgent first. `Evicting`: a taint evicts the device's pods. `Held`: a taint would evict them, but is paused or held.
 * `Unknown`: undecidable whether a rule selects it, or published twice. `Tainted`: tainted, and no pod must be evicted.
 */
export const deviceStates = ['Evicting', 'Held', 'Unknown', 'Tainted', 'InUse', 'Free'] as const;
export type DeviceState = (typeof deviceStates)[number];

export interface FleetDevice extends DeviceId {
  readonly state: DeviceState;
  /** Node name; the pool name if its slice names no node. */
  readonly node: string;
  /** Team of the claim that has the device allocated; empty if unallocated. */
  readonly team: string;
  /** DeviceClass through which it was allocated; empty if unallocated. */
  readonly className: string;
}

/** Devices grouped by pool, in pool order; unchanged groups are the same objects as in the previous reading. */
export type Fleet = readonly (readonly FleetDevice[])[];

/** Node of a device of one pool, which may span several nodes, such as a rack; another function once a device has moved. */
export type NodeOf = (device: string) => string | undefined;

export interface FleetSource {
  readonly snapshot: Snapshot;
  /** By pool key. */
  readonly nodesOf: (pool: string) => NodeOf | undefined;
  readonly now: Instant;
  /** No pod is evicted in the whole cluster. */
  readonly isStopped: boolean;
  /** UIDs of rules and policies that are said to be held, and limiters of such rules. */
  readonly told?: ReadonlySet<string>;
}

/** Inputs and result of the last computation for a pool. */
interface PoolReading {
  readonly pool: Pool;
  readonly nodes: NodeOf | undefined;
  readonly emptyEffectTolerates: boolean;
  readonly taints: readonly DeviceTaints[];
  /** Of every taint, in order; most pools have none. */
  readonly by: readonly TaintedBy[];
  /** Whether each taint is held, in order; a change makes the pool be recomputed. */
  readonly holds: string;
  readonly devices: readonly FleetDevice[];
}

export type FleetReader = (source: FleetSource) => Fleet;

/** For successive snapshots of one cluster. Maps of a snapshot may be mutated, objects in them must not. */
export function createFleetReader(): FleetReader {
  const uses = createClaimUses();
  const poolsToRead = createPoolsToRead();
  let known = new Map<string, PoolReading>();
  let fleet: Fleet = [];
  return ({ snapshot, nodesOf, now, isStopped, told }) => {
    const used = uses.update(snapshot.claims);
    const hasOtherTaints = poolsToRead(snapshot);
    const isHeld = isStopped ? () => true : holdsAt(snapshot, now, told);
    const { emptyEffectTolerates } = snapshot.settings;
    const next = new Map<string, PoolReading>();
    for (const [key, pool] of snapshot.pools) {
      const last = known.get(key);
      const isSame = last?.pool === pool && !hasOtherTaints(pool);
      const on = isSame ? last : tainted(taintsOfPool(pool, snapshot));
      const holds = holdsText(on.by, isHeld);
      const made = { pool, emptyEffectTolerates, taints: on.taints, by: on.by, nodes: nodesOf(key), holds };
      const isKept = isSame && !used.has(key) && isMadeOf(last, made);
      next.set(key, isKept ? last : { ...made, devices: devicesOf(made, uses, isHeld) });
    }
    known = next;
    const read = [...next.values()];
    const isFleetSame = read.length === fleet.length && read.every(({ devices }, i) => devices === fleet[i]);
    fleet = isFleetSame ? fleet : read.map(({ devices }) => devices);
    return fleet;
  };
}

function tainted(taints: readonly DeviceTaints[]): Pick<PoolReading, 'taints' | 'by'> {
  return { taints, by: taints.flatMap((one) => one.taints.map(({ by }) => by)) };
}

function devicesOf(made: Omit<PoolReading, 'devices'>, uses: ClaimUses, isHeld: IsHeld): readonly FleetDevice[] {
  return made.taints.map((one) => deviceOf(one, { ...made, using: uses.of(one.key), isHeld }));
}

function isMadeOf(last: PoolReading, now: Omit<PoolReading, 'devices'>): boolean {
  return last.nodes === now.nodes && last.emptyEffectTolerates === now.emptyEffectTolerates && last.holds === now.holds;
}

function holdsText(by: readonly TaintedBy[], isHeld: IsHeld): string {
  return by.length === 0 ? '' : by.map((one) => (isHeld(one) ? 'h' : '-')).join('');
}

interface Around {
  readonly using: readonly Use[];
  readonly emptyEffectTolerates: boolean;
  readonly nodes: NodeOf | undefined;
  readonly isHeld: IsHeld;
}

function deviceOf(taints: DeviceTaints, around: Around): FleetDevice {
  const [first] = around.using;
  return {
    ...taints.id,
    state: stateOf(taints, around),
    node: around.nodes?.(taints.id.device) ?? taints.id.pool,
    team: first?.claim.namespace ?? '',
    className: first?.result.deviceClassName ?? '',
  };
}

function stateOf({ taints, isUnknown }: DeviceTaints, { using, emptyEffectTolerates, isHeld }: Around): DeviceState {
  if (isUnknown) return 'Unknown';
  const going = taints.filter(
    ({ taint }) =>
      evicts(taint) &&
      using.some(
        ({ result, claim }) =>
          unreadTolerations(result, claim) === undefined &&
          toleratedUntil(taint, tolerationsOf(result, claim), { emptyEffectTolerates }).kind !== 'Forever',
      ),
  );
  if (going.length > 0) return going.every(({ by }) => isHeld(by)) ? 'Held' : 'Evicting';
  if (taints.some(({ taint }) => taint.effect === 'NoExecute' || taint.effect === 'NoSchedule')) return 'Tainted';
  return using.length > 0 ? 'InUse' : 'Free';
}
