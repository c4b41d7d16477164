// The taints that act on an allocated device, each with its origin.
import { type DeviceId, deviceKey, poolKey } from '../model/identity.ts';
import type { DeviceTaint } from '../model/objects.ts';
import type { EvictionPolicy } from '../model/policy.ts';
import type { PacedTaint, PodScope, TaintRule } from '../model/rule.ts';
import { compareText, type SliceTaint, type Snapshot } from '../model/snapshot.ts';
import type { StandingTaint } from '../model/standing.ts';
import type { Instant } from '../model/time.ts';
import type { TaintOrigin } from '../model/verdict.ts';
import { type Delayed, ruleDelay, sliceDelay } from './delay.ts';
import { matchDevice } from './deviceMatch.ts';
import { policyFor } from './policy.ts';
import { rulesFor } from './ruleIndex.ts';
import { waveOver } from './waveHold.ts';

export interface EffectiveTaint {
  readonly origin: TaintOrigin;
  /** It has its own rate only if it comes from a DeviceTaintSlice; a rule's rate is kept with its bucket. */
  readonly taint: PacedTaint;
  /** Which pods it evicts; absent: all pods. */
  readonly pods?: PodScope;
  /** The delay that its policy adds. */
  readonly delayed?: Delayed;
}

/** Only NoExecute evicts; any other effect, known or not, acts as None here (docs/reference/rules.md 1.5). */
export function evicts(taint: DeviceTaint): boolean {
  return taint.effect === 'NoExecute';
}

export interface DeviceTaints {
  readonly taints: readonly EffectiveTaint[];
  /** Why it is unknown whether a rule selects the device; such a rule does not act on the device. */
  readonly undecided: readonly string[];
  /** A taint with effect NoExecute will count once its time is recorded. */
  readonly isPassing: boolean;
}

type Around = Pick<
  Snapshot,
  'rules' | 'pools' | 'nativeSlices' | 'agentTaints' | 'policies' | 'standing' | 'waves' | 'recall'
>;

/**
 * Rules by name, then the device's own taints by slice and index; purely additive (docs/reference/rules.md 1.4). Rules match the names in
 * the allocation, so they act even if no slice publishes the device any more; slice taints cannot.
 */
export function taintsOf(device: DeviceId, snapshot: Around): DeviceTaints {
  const { rules, undecided } = rulesOn(device, snapshot);
  const taints: EffectiveTaint[] = rules.flatMap(({ rule, notBefore }) =>
    evicts(rule.taint) ? (effectiveTaint(rule, notBefore) ?? []) : [],
  );
  for (const { slice, index, taint } of nativeTaints(device, snapshot)) {
    if (!evicts(taint)) continue;
    const delay = delayOnDevice(device, { source: 'ResourceSlice', taint }, snapshot);
    taints.push({ origin: { kind: 'Slice', name: slice, index }, taint, ...delay });
  }
  for (const { slice, index, taint } of snapshot.agentTaints?.get(deviceKey(device)) ?? []) {
    if (!evicts(taint) || taint.timeAdded === undefined) continue;
    const delay = delayOnDevice(device, { source: 'DeviceTaintSlice', taint }, snapshot);
    taints.push({ origin: { kind: 'Slice', sliceKind: 'DeviceTaintSlice', name: slice, index }, taint, ...delay });
  }
  const isPassing =
    rules.some(({ rule }) => rule.kind === 'PacedTaintRule' && isUntimed(rule.taint)) ||
    (snapshot.agentTaints?.get(deviceKey(device)) ?? []).some(({ taint }) => isUntimed(taint));
  return { taints, undecided, isPassing };
}

function isUntimed(taint: DeviceTaint): boolean {
  return evicts(taint) && taint.timeAdded === undefined;
}

function delayOnDevice(
  device: DeviceId,
  { source, taint: { key, timeAdded } }: { readonly source: StandingTaint['source']; readonly taint: DeviceTaint },
  around: Around,
): Pick<EffectiveTaint, 'delayed'> {
  const policy = policyFor({ key, driver: device.driver, source }, around.policies ?? []);
  const seen = around.standing?.get(deviceKey(device))?.find((one) => one.source === source && one.key === key);
  const isHeld = (by: EvictionPolicy) => waveOver({ device, key, policy: by }, around) !== undefined;
  const delayed = sliceDelay(policy, { timeAdded, seen, isHeld });
  return delayed ? { delayed } : {};
}

function nativeTaints(device: DeviceId, { pools, nativeSlices }: Around): readonly SliceTaint[] {
  if (nativeSlices === 'Watched') return [];
  return pools.get(poolKey(device.driver, device.pool))?.devices.get(device.device) ?? [];
}

/** A PacedTaintRule's taint does not act until its time is recorded; a native taint without a time is an error and is reported as such. */
function effectiveTaint(rule: TaintRule, notBefore: Instant | undefined): EffectiveTaint | undefined {
  const { kind, name, uid, generation, pods } = rule;
  const { key, value, effect, timeAdded, description } = rule.taint;
  const delayed = ruleDelay(rule.policy, { timeAdded, actingSince: rule.actingSince });
  const delay = delayed ? { delayed } : {};
  if (kind === 'DeviceTaintRule')
    return { origin: { kind: 'Rule', name, uid, generation }, taint: rule.taint, ...delay };
  if (timeAdded === undefined) return undefined;
  return {
    origin: { kind: 'Rule', ruleKind: kind, name, uid, generation },
    taint: {
      key,
      effect,
      ...(value === undefined ? {} : { value }),
      timeAdded: Math.max(timeAdded, notBefore ?? timeAdded),
      ...(description === undefined ? {} : { description }),
    },
    ...(pods ? { pods } : {}),
    ...delay,
  };
}

interface SelectingRule {
  readonly rule: TaintRule;
  readonly notBefore: Instant | undefined;
}

/** The rules that select a device, except those whose taint a PacedTaintRule of higher priority replaces. */
export function rulesOn(
  device: DeviceId,
  snapshot: Around,
): { readonly rules: readonly SelectingRule[]; readonly undecided: readonly string[] } {
  const found: SelectingRule[] = [];
  const undecided: string[] = [];
  for (const rule of rulesFor(device, snapshot.rules, snapshot.recall)) {
    const match = matchDevice(rule, device, snapshot);
    if (match.kind === 'Unknown') undecided.push(`${rule.kind} ${rule.name}: ${match.why}`);
    if (match.kind !== 'Selected') continue;
    found.push({ rule, notBefore: match.notBefore });
  }
  const paced = found.map(({ rule }) => rule).filter(({ kind }) => kind === 'PacedTaintRule');
  const isReplaced = (rule: TaintRule) => rule.kind === 'PacedTaintRule' && paced.some((one) => replaces(one, rule));
  // Stryker disable next-line ConditionalExpression,EqualityOperator: a single rule replaces none; the check saves time only
  return { rules: paced.length < 2 ? found : found.filter(({ rule }) => !isReplaced(rule)), undecided };
}

/**
 * KEP-5055 as first proposed: of two rules with a taint of the same key and effect on a device the one with higher priority counts, then
 * the older one, then the first by name. Slice taints and native rules are never replaced: they act in the scheduler.
 */
function replaces(a: TaintRule, b: TaintRule): boolean {
  if (a.taint.key !== b.taint.key || a.taint.effect !== b.taint.effect) return false;
  const order =
    (b.priority ?? Number.NEGATIVE_INFINITY) - (a.priority ?? Number.NEGATIVE_INFINITY) ||
    (a.creationTimestamp ?? 0) - (b.creationTimestamp ?? 0) ||
    compareText(a.name, b.name);
  return order < 0;
}
