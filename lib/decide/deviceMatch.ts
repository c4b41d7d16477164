// Whether a rule selects a device: by names, by class and CEL expressions, and by the device's existing taints.
import { buildDevice } from '../cel/device.ts';
import { type CompiledSelectors, compileSelectors, type RefusedSelectors, type SeenDevice } from '../cel/selection.ts';
import { type DeviceId, deviceKey, poolKey } from '../model/identity.ts';
import type { DeviceTaint } from '../model/objects.ts';
import type { Recall } from '../model/recall.ts';
import type { ExistingTaint, PacedDeviceSelector, TaintRule } from '../model/rule.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { farFuture, type Instant } from '../model/time.ts';
import { selects } from './select.ts';

/** The parts of a snapshot that describe devices. */
export type Published = Pick<Snapshot, 'pools' | 'agentTaints' | 'recall'>;

export type DeviceMatch =
  /** `notBefore`: when the taints that the selector requires are old enough. */
  | { readonly kind: 'Selected'; readonly notBefore?: Instant | undefined }
  | { readonly kind: 'NotSelected' }
  /** Not published now, published twice with different properties, or stripped of them (`isStripped`): Sluice must not act on it. */
  | { readonly kind: 'Unknown'; readonly why: string; readonly isStripped?: true | undefined };

/** The parts of a rule that select devices. */
export type Selecting = Pick<TaintRule, 'deviceSelector' | 'deviceClass'>;

const notSelected: DeviceMatch = { kind: 'NotSelected' };

/** An expression that fails on a device does not select it: usually the device is another driver's and has other attributes. */
export function matchDevice(rule: Selecting, device: DeviceId, seen: Published): DeviceMatch {
  const { deviceSelector: selector } = rule;
  if (!selector || !selects(selector, device)) return notSelected;
  const notBefore = oldEnoughAt(selector.deviceTaints ?? [], device, seen);
  if (notBefore === undefined) return notSelected;
  const time = selector.deviceTaints ? { notBefore } : {};
  if (!readsProperties(selector)) return { kind: 'Selected', ...time };
  if (lacksClass(rule)) return notSelected;
  const compiled = selectorsOf(rule, seen.recall);
  if (compiled.kind === 'Refused') return notSelected;
  const properties = propertiesOf(device, seen);
  const match = compiled.matches(properties);
  if (match.kind === 'Selected') return { kind: 'Selected', ...time };
  if (match.kind !== 'Unknown') return notSelected;
  const { isStripped } = properties;
  const what = isStripped
    ? 'has attributes too large to keep'
    : 'is in no ResourceSlice with its attributes, or twice in one';
  return { kind: 'Unknown', why: `device ${deviceKey(device)} ${what}`, isStripped };
}

/** Whether a selector needs a device's properties, not just its names. */
export function readsProperties({ deviceClassName, selectors = [] }: PacedDeviceSelector): boolean {
  return deviceClassName !== undefined || selectors.length > 0;
}

/** Whether the result can change over time for the same device name. */
export function picksByState(selector: PacedDeviceSelector): boolean {
  return readsProperties(selector) || (selector.deviceTaints ?? []).length > 0;
}

/** A class that does not exist selects nothing. */
export function lacksClass({ deviceSelector = {}, deviceClass }: Selecting): boolean {
  return deviceSelector.deviceClassName !== undefined && !deviceClass;
}

/** Rules are immutable, so the compiled form stays valid. */
export function selectorsOf(rule: Selecting, recall: Recall): CompiledSelectors | RefusedSelectors {
  // Stryker disable next-line StringLiteral: any name distinguishes it from the others
  return recall('selectors', rule, () => compileRule(rule, recall));
}

function compileRule(
  { deviceSelector = {}, deviceClass }: Selecting,
  recall: Recall,
): CompiledSelectors | RefusedSelectors {
  const { selectors: rule = [] } = deviceSelector;
  return compileSelectors(deviceClass ? { deviceClass, rule } : { rule }, { recall });
}

/** What the expressions are evaluated on. */
export function propertiesOf(
  device: DeviceId,
  { pools, recall }: Published,
): SeenDevice & { readonly isStripped?: true } {
  const published = pools.get(poolKey(device.driver, device.pool))?.published.get(device.device);
  if (published === undefined || published === 'Twice') return {};
  if (published.isStripped) return { isStripped: true };
  // Stryker disable next-line StringLiteral: any name distinguishes it from the others
  return { published: recall('device', published, () => buildDevice({ ...published, driver: device.driver })) };
}

/** When every required taint has reached its age; `undefined` if one is missing or has no time. */
function oldEnoughAt(wanted: readonly ExistingTaint[], device: DeviceId, seen: Published): Instant | undefined {
  const published = [
    ...(seen.pools.get(poolKey(device.driver, device.pool))?.devices.get(device.device) ?? []),
    ...(seen.agentTaints?.get(deviceKey(device)) ?? []),
  ];
  let latest = Number.NEGATIVE_INFINITY;
  for (const one of wanted) {
    const since = published.flatMap(({ taint }) => (isWanted(taint, one) ? (agedAt(taint, one) ?? []) : []));
    if (since.length === 0) return undefined;
    latest = Math.max(latest, Math.min(...since));
  }
  return latest;
}

function isWanted(taint: DeviceTaint, { key, value, effect }: ExistingTaint): boolean {
  return (
    taint.key === key &&
    (value === undefined || value === (taint.value ?? '')) &&
    (effect === undefined || effect === taint.effect)
  );
}

function agedAt({ timeAdded }: DeviceTaint, { minAge }: ExistingTaint): Instant | undefined {
  if (minAge === undefined) return timeAdded ?? Number.NEGATIVE_INFINITY;
  return typeof timeAdded === 'number' ? Math.min(timeAdded + minAge, farFuture) : undefined;
}
