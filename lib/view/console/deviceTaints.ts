// Taints of the devices of a pool, and which of them are held now; pure.
import { periodOf } from '../../decide/bucket.ts';
import { holdOf } from '../../decide/hold.ts';
import { policyFor, policyHold } from '../../decide/policy.ts';
import { rateHold } from '../../decide/rate.ts';
import { rulesOn } from '../../decide/taint.ts';
import { policyRate } from '../../decide/writtenRate.ts';
import { type DeviceId, deviceKey, poolKey } from '../../model/identity.ts';
import type { DeviceTaint } from '../../model/objects.ts';
import type { EvictionPolicy, TaintSource } from '../../model/policy.ts';
import { ruleLimiter, type TaintRule } from '../../model/rule.ts';
import type { Pool, Snapshot } from '../../model/snapshot.ts';
import type { Instant } from '../../model/time.ts';

export interface TaintOnDevice {
  readonly taint: DeviceTaint;
  readonly by: TaintedBy;
}

/** A rule by its limiter; a slice taint by the fields that select its policy. */
export type TaintedBy =
  | { readonly kind: 'Rule'; readonly limiter: string }
  | { readonly kind: 'Source'; readonly source: TaintSource; readonly key: string; readonly driver: string };

export interface DeviceTaints {
  readonly id: DeviceId;
  readonly key: string;
  readonly taints: readonly TaintOnDevice[];
  /** Undecidable whether a rule selects the device, or the device is published twice. */
  readonly isUnknown: boolean;
}

export function taintsOfPool(pool: Pool, snapshot: Snapshot): readonly DeviceTaints[] {
  const { driver } = pool;
  const from =
    (source: TaintSource) =>
    ({ taint }: { readonly taint: DeviceTaint }): TaintOnDevice => ({
      taint,
      by: { kind: 'Source', source, key: taint.key, driver },
    });
  return [...pool.devices].map(([device, native]) => {
    const id = { driver, pool: pool.name, device };
    const key = deviceKey(id);
    const on = rulesOn(id, snapshot);
    const taints: readonly TaintOnDevice[] = [
      ...on.rules.map(({ rule }) => ({ taint: rule.taint, by: { kind: 'Rule' as const, limiter: ruleLimiter(rule) } })),
      ...native.map(from('ResourceSlice')),
      ...(snapshot.agentTaints?.get(key) ?? []).map(from('DeviceTaintSlice')),
    ];
    return { id, key, taints, isUnknown: pool.published.get(device) === 'Twice' || on.undecided.length > 0 };
  });
}

export type IsHeld = (by: TaintedBy) => boolean;

/** Evaluates each rule and policy once. `told`: UIDs of rules and policies that are said to be held, and limiters of such rules. */
export function holdsAt(
  { rules, policies = [] }: Snapshot,
  now: Instant,
  told: ReadonlySet<string> = new Set(),
): IsHeld {
  const byLimiter = new Map(rules.map((rule) => [ruleLimiter(rule), rule]));
  const known = new Map<string, boolean>();
  const find = (by: TaintedBy) => {
    if (by.kind === 'Source') {
      const policy = policyFor(by, policies);
      return (
        policy !== undefined && (told.has(policy.uid) || policyHold(policy, now) !== undefined || isZero(by, policy))
      );
    }
    const rule = byLimiter.get(by.limiter);
    return (
      rule !== undefined &&
      (told.has(by.limiter) || told.has(rule.uid) || (holdOf(rule, now) ?? rateHold(rule)) !== undefined)
    );
  };
  return (by) => {
    const name = nameOf(by);
    const held = known.get(name) ?? find(by);
    known.set(name, held);
    return held;
  };
}

/** A DeviceTaintSlice may have a rate of its own. */
function isZero({ source }: { readonly source: TaintSource }, policy: EvictionPolicy): boolean {
  return source === 'ResourceSlice' && periodOf(policyRate(policy).rate) === undefined;
}

function nameOf(by: TaintedBy): string {
  return by.kind === 'Rule' ? by.limiter : `${by.source}|${by.driver}|${by.key}`;
}

/** Whether the taints of a pool's devices may have changed since the previous reading. */
export type PoolsToRead = (pool: Pool) => boolean;

/** Compares only the fields that select and taint devices, because status updates change rules every second. */
export function createPoolsToRead(): (snapshot: Snapshot) => PoolsToRead {
  let before: { readonly rules: Snapshot['rules']; readonly agentTaints: Snapshot['agentTaints'] } | undefined;
  let selecting = new Map<string, TaintRule>();
  return ({ rules, agentTaints }) => {
    const last = before;
    before = { rules, agentTaints };
    if (last?.rules === rules && last.agentTaints === agentTaints) return () => false;
    const next = last?.rules === rules ? selecting : new Map(rules.map((rule) => [selectionOf(rule), rule]));
    const changed = [...differing(selecting, next), ...differing(next, selecting)];
    selecting = next;
    const pools = new Set(last?.agentTaints === agentTaints ? [] : [last?.agentTaints, agentTaints].flatMap(poolsOf));
    return ({ driver, name }) =>
      pools.has(poolKey(driver, name)) ||
      changed.some(
        ({ deviceSelector: { driver: ofDriver = driver, pool = name } = {} }) => ofDriver === driver && pool === name,
      );
  };
}

function selectionOf({ kind, uid, generation, deviceSelector, deviceClass, taint, priority }: TaintRule): string {
  return JSON.stringify([kind, uid, generation, deviceSelector, deviceClass, taint, priority]);
}

function differing(from: ReadonlyMap<string, TaintRule>, to: ReadonlyMap<string, TaintRule>): readonly TaintRule[] {
  return [...from].flatMap(([key, rule]) => (to.has(key) ? [] : [rule]));
}

/** Pool keys derived from device keys; names never contain `|`. */
function poolsOf(taints: Snapshot['agentTaints']): readonly string[] {
  return [...(taints?.keys() ?? [])].map((device) => device.slice(0, device.lastIndexOf('|')));
}
