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
  const index = indexes.get(rules) ?? buildIndex(rules);
  // Stryker disable next-line CallExpression: without the cache an index is built again, only slower
  indexes.set(rules, index);
  return index;
}

function buildIndex(rules: readonly DeviceTaintRule[]): RuleIndex {
  const index = { byDevice: new Map(), byPool: new Map(), byDriver: new Map(), forAll: [] };
  for (const [place, rule] of rules.entries()) enter(index, { place, rule });
  return index;
}

interface GrowingIndex {
  readonly byDevice: Map<string, Placed[]>;
  readonly byPool: Map<string, Placed[]>;
  readonly byDriver: Map<string, Placed[]>;
  readonly forAll: Placed[];
}

function enter({ byDevice, byPool, byDriver, forAll }: GrowingIndex, placed: Placed): void {
  const { device, pool, driver } = placed.rule.deviceSelector ?? {};
  // Stryker disable next-line ConditionalExpression: a wider list is filtered to the same rules, only slower
  if (device !== undefined) push(byDevice, device, placed);
  // Stryker disable next-line ConditionalExpression: a wider list is filtered to the same rules, only slower
  else if (pool !== undefined) push(byPool, pool, placed);
  // Stryker disable next-line ConditionalExpression: a wider list is filtered to the same rules, only slower
  else if (driver !== undefined) push(byDriver, driver, placed);
  else forAll.push(placed);
}

function push(into: Map<string, Placed[]>, key: string, placed: Placed): void {
  const list = into.get(key);
  if (list) list.push(placed);
  else into.set(key, [placed]);
}
