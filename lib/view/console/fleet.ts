// The state of every published device, for the map of a fleet: from a snapshot of the whole cluster; pure.
import { tolerationsOf } from '../../decide/annotatedTolerations.ts';
import { holdOf } from '../../decide/hold.ts';
import { policyFor, policyHold } from '../../decide/policy.ts';
import { evicts, rulesOn } from '../../decide/taint.ts';
import { toleratedUntil } from '../../decide/tolerate.ts';
import { type DeviceId, deviceKey } from '../../model/identity.ts';
import type { AllocatedDevice, DeviceTaint, ResourceClaim } from '../../model/objects.ts';
import type { EvictionPolicy, TaintSource } from '../../model/policy.ts';
import type { TaintRule } from '../../model/rule.ts';
import type { Pool, Snapshot } from '../../model/snapshot.ts';
import type { Instant } from '../../model/time.ts';

/**
 * `Evicting`: a taint evicts the pods that hold it. `Held`: one would, and is paused or held. `Tainted`: tainted, and no pod must be evicted.
 * `Unknown`: whether a rule selects it cannot be decided, or it is published twice. From the most urgent to the least.
 */
export const deviceStates = ['Evicting', 'Held', 'Unknown', 'Tainted', 'InUse', 'Free'] as const;
export type DeviceState = (typeof deviceStates)[number];

export interface FleetDevice extends DeviceId {
  readonly state: DeviceState;
  /** The pool's name where its slices name no node. */
  readonly node: string;
  /** Of the claim that holds it; empty for a device that no claim holds. */
  readonly team: string;
  /** DeviceClass by which it was allocated; empty for a device that no claim holds. */
  readonly className: string;
}

export interface FleetSource {
  readonly snapshot: Snapshot;
  readonly nodeOf: (driver: string, pool: string) => string | undefined;
  readonly now: Instant;
  /** Nothing is evicted in the whole cluster. */
  readonly isStopped: boolean;
}

/** In the order of the pools and of their devices. */
export function fleetOf({ snapshot, nodeOf, now, isStopped }: FleetSource): readonly FleetDevice[] {
  const uses = usesOf(snapshot.claims);
  const isHeld = rememberHolds(now);
  return [...snapshot.pools.values()].flatMap((pool) => {
    const node = nodeOf(pool.driver, pool.name) ?? pool.name;
    return taintsOfPool(pool, snapshot).map((facts): FleetDevice => {
      const using = uses.get(facts.key) ?? [];
      const state = stateOf(facts, { using, settings: snapshot.settings, isHeld, isStopped });
      const [first] = using;
      const className = first?.result.deviceClassName ?? '';
      return { ...facts.id, state, node, team: first?.claim.namespace ?? '', className };
    });
  });
}

interface Use {
  readonly claim: ResourceClaim;
  readonly result: AllocatedDevice;
}

interface TaintOnDevice {
  readonly taint: DeviceTaint;
  readonly rule?: TaintRule;
  readonly policy?: EvictionPolicy | undefined;
}

interface DeviceFacts {
  readonly id: DeviceId;
  readonly key: string;
  readonly taints: readonly TaintOnDevice[];
  readonly isUnknown: boolean;
}

interface Around {
  readonly using: readonly Use[];
  readonly settings: Snapshot['settings'];
  readonly isHeld: (taint: TaintOnDevice) => boolean;
  readonly isStopped: boolean;
}

function stateOf({ taints, isUnknown }: DeviceFacts, { using, settings, isHeld, isStopped }: Around): DeviceState {
  if (isUnknown) return 'Unknown';
  const going = taints.filter(
    ({ taint }) =>
      evicts(taint) &&
      using.some(
        ({ result, claim }) => toleratedUntil(taint, tolerationsOf(result, claim), settings).kind !== 'Forever',
      ),
  );
  if (going.length > 0) return isStopped || going.every(isHeld) ? 'Held' : 'Evicting';
  if (taints.some(({ taint }) => taint.effect === 'NoExecute' || taint.effect === 'NoSchedule')) return 'Tainted';
  return using.length > 0 ? 'InUse' : 'Free';
}

function rememberHolds(now: Instant): (taint: TaintOnDevice) => boolean {
  const known = new Map<TaintRule | EvictionPolicy, boolean>();
  return ({ rule, policy }) => {
    const by = rule ?? policy;
    if (!by) return false;
    const held = known.get(by) ?? (rule ? holdOf(rule, now) : policy && policyHold(policy, now)) !== undefined;
    known.set(by, held);
    return held;
  };
}

/** Claims are never changed in place. */
const usesOfClaim = new WeakMap<ResourceClaim, readonly (readonly [key: string, uses: readonly Use[]])[]>();

function usesOf(claims: Snapshot['claims']): ReadonlyMap<string, readonly Use[]> {
  const uses = new Map<string, readonly Use[]>();
  for (const claim of claims.values()) {
    const own =
      usesOfClaim.get(claim) ??
      (claim.allocation?.devices ?? [])
        .filter(({ adminAccess }) => !adminAccess)
        .map((result) => [deviceKey(result), [{ claim, result }]] as const);
    usesOfClaim.set(claim, own);
    for (const [key, one] of own) uses.set(key, uses.has(key) ? [...(uses.get(key) ?? []), ...one] : one);
  }
  return uses;
}

type Rules = Pick<Snapshot, 'rules' | 'policies' | 'agentTaints'>;

/** What taints a pool's devices is found again only when the pool or a rule, policy or agent's taint has changed. */
const known = new WeakMap<Pool, Rules & { readonly facts: readonly DeviceFacts[] }>();

function taintsOfPool(pool: Pool, snapshot: Snapshot): readonly DeviceFacts[] {
  const { rules, policies, agentTaints } = snapshot;
  const before = known.get(pool);
  if (before?.rules === rules && before.policies === policies && before.agentTaints === agentTaints)
    return before.facts;
  const facts = [...pool.devices].map(([device, native]): DeviceFacts => {
    const id = { driver: pool.driver, pool: pool.name, device };
    const key = deviceKey(id);
    const on = rulesOn(id, snapshot);
    const policed =
      (source: TaintSource) =>
      ({ taint }: { readonly taint: DeviceTaint }): TaintOnDevice => ({
        taint,
        policy: policyFor({ key: taint.key, driver: pool.driver, source }, policies ?? []),
      });
    const taints: readonly TaintOnDevice[] = [
      ...on.rules.map(({ rule }) => ({ taint: rule.taint, rule })),
      ...native.map(policed('ResourceSlice')),
      ...(agentTaints?.get(key) ?? []).map(policed('DeviceTaintSlice')),
    ];
    return { id, key, taints, isUnknown: pool.published.get(device) === 'Twice' || on.undecided.length > 0 };
  });
  known.set(pool, { rules, ...(policies ? { policies } : {}), ...(agentTaints ? { agentTaints } : {}), facts });
  return facts;
}
