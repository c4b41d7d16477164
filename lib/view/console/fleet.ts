// State of every published device for the fleet map, from cluster snapshots; recomputes only changed pools.
import { tolerationsOf } from '../../decide/annotatedTolerations.ts';
import { evicts } from '../../decide/taint.ts';
import { toleratedUntil } from '../../decide/tolerate.ts';
import type { DeviceId } from '../../model/identity.ts';
import type { Pool, Snapshot } from '../../model/snapshot.ts';
import type { Instant } from '../../model/time.ts';
import { createClaimUses, type Use } from './claimUses.ts';
import { createPoolsToRead, type DeviceTaints, holdsAt, type IsHeld, taintsOfPool } from './deviceTaints.ts';

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

/** Nodes of the devices of a pool, which may span several nodes, such as a rack. */
export interface PoolNodes {
  /** Changes when a device moves to another node. */
  readonly version: number;
  readonly of: (device: string) => string | undefined;
}

export interface FleetSource {
  readonly snapshot: Snapshot;
  readonly nodesOf: (driver: string, pool: string) => PoolNodes | undefined;
  readonly now: Instant;
  /** No pod is evicted in the whole cluster. */
  readonly isStopped: boolean;
  /** Names of EvictionPolicies whose condition says that they hold their taints. */
  readonly heldPolicies?: ReadonlySet<string>;
}

/** Inputs and result of the last computation for a pool. */
interface PoolReading {
  readonly pool: Pool;
  readonly nodes: PoolNodes | undefined;
  readonly emptyEffectTolerates: boolean;
  readonly taints: readonly DeviceTaints[];
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
  return ({ snapshot, nodesOf, now, isStopped, heldPolicies }) => {
    const used = uses.update(snapshot.claims);
    const hasOtherTaints = poolsToRead(snapshot);
    const isHeld = isStopped ? () => true : holdsAt(snapshot, now, heldPolicies);
    const { emptyEffectTolerates } = snapshot.settings;
    const readings = [...snapshot.pools].map(([key, pool]): readonly [string, PoolReading] => {
      const last = known.get(key);
      const isSame = last?.pool === pool && !hasOtherTaints(pool);
      const taints = isSame ? last.taints : taintsOfPool(pool, snapshot);
      const nodes = nodesOf(pool.driver, pool.name);
      const made = { pool, emptyEffectTolerates, taints, nodes, holds: holdsText(taints, isHeld) };
      if (isSame && !used.has(key) && isMadeOf(last, made)) return [key, last];
      const devices = taints.map((one) => deviceOf(one, { ...made, using: uses.of(one.key), isHeld }));
      return [key, { ...made, devices }];
    });
    const isFleetSame =
      readings.length === fleet.length && readings.every(([, { devices }], i) => devices === fleet[i]);
    fleet = isFleetSame ? fleet : readings.map(([, { devices }]) => devices);
    known = new Map(readings);
    return fleet;
  };
}

function isMadeOf(last: PoolReading, now: Omit<PoolReading, 'devices'>): boolean {
  return (
    last.nodes?.version === now.nodes?.version &&
    last.emptyEffectTolerates === now.emptyEffectTolerates &&
    last.holds === now.holds
  );
}

function holdsText(taints: readonly DeviceTaints[], isHeld: IsHeld): string {
  let text = '';
  for (const one of taints) for (const { by } of one.taints) text += isHeld(by) ? 'h' : '-';
  return text;
}

interface Around {
  readonly using: readonly Use[];
  readonly emptyEffectTolerates: boolean;
  readonly nodes: PoolNodes | undefined;
  readonly isHeld: IsHeld;
}

function deviceOf(taints: DeviceTaints, around: Around): FleetDevice {
  const [first] = around.using;
  return {
    ...taints.id,
    state: stateOf(taints, around),
    node: around.nodes?.of(taints.id.device) ?? taints.id.pool,
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
          toleratedUntil(taint, tolerationsOf(result, claim), { emptyEffectTolerates }).kind !== 'Forever',
      ),
  );
  if (going.length > 0) return going.every(({ by }) => isHeld(by)) ? 'Held' : 'Evicting';
  if (taints.some(({ taint }) => taint.effect === 'NoExecute' || taint.effect === 'NoSchedule')) return 'Tainted';
  return using.length > 0 ? 'InUse' : 'Free';
}
