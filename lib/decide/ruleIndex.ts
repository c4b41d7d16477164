// The rules that may select a device, found without looking at every rule.
import type { DeviceId } from '../model/identity.ts';
import type { DeviceTaintRule } from '../model/objects.ts';
import { selects } from './select.ts';

/** Rules by their narrowest criterion; each keeps its place, because reports list rules by name. */
interface RuleIndex {
  readonly byDevice: ReadonlyMap<string, readonly Placed[]>;
  readonly byPool: ReadonlyMap<string, readonly Placed[]>;
  readonly byDriver: ReadonlyMap<string, readonly Placed[]>;
  readonly forAll: readonly Placed[];
}

interface Placed {
  readonly place: number;
  readonly rule: DeviceTaintRule;
}

/** One index per list of rules: lists are never changed in place, so an index cannot go stale. */
const indexes = new WeakMap<readonly DeviceTaintRule[], RuleIndex>();

/** The rules whose selector picks the device, in the order of the list. */
export function rulesFor(device: DeviceId, rules: readonly DeviceTaintRule[]): readonly DeviceTaintRule[] {
  const index = indexOf(rules);
  const placed = [
    ...(index.byDevice.get(device.device) ?? []),
    ...(index.byPool.get(device.pool) ?? []),
    ...(index.byDriver.get(device.driver) ?? []),
    ...index.forAll,
  ].filter(({ rule }) => selects(rule.deviceSelector, device));
  return placed.sort((a, b) => a.place - b.place).map(({ rule }) => rule);
}

function indexOf(rules: readonly DeviceTaintRule[]): RuleIndex {
  const known = indexes.get(rules);
  // Stryker disable next-line ConditionalExpression: an index that is built again is the same, only slower
  if (known) return known;
  const index = buildIndex(rules);
  // Stryker disable next-line CallExpression: without the cache an index is built again, only slower
  indexes.set(rules, index);
  return index;
}

function buildIndex(rules: readonly DeviceTaintRule[]): RuleIndex {
  const byDevice = new Map<string, Placed[]>();
  const byPool = new Map<string, Placed[]>();
  const byDriver = new Map<string, Placed[]>();
  const forAll: Placed[] = [];
  for (const [place, rule] of rules.entries()) {
    const { device, pool, driver } = rule.deviceSelector ?? {};
    // Stryker disable ConditionalExpression: a wider list is filtered to the same rules, only slower
    if (device !== undefined) push(byDevice, device, { place, rule });
    else if (pool !== undefined) push(byPool, pool, { place, rule });
    else if (driver !== undefined) push(byDriver, driver, { place, rule });
    else forAll.push({ place, rule });
    // Stryker restore ConditionalExpression
  }
  return { byDevice, byPool, byDriver, forAll };
}

function push(into: Map<string, Placed[]>, key: string, placed: Placed): void {
  const list = into.get(key);
  if (list) list.push(placed);
  else into.set(key, [placed]);
}
