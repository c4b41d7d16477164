// Finds the rules that may select a device without checking every rule.
import type { DeviceId } from '../model/identity.ts';
import type { DeviceTaintSelector } from '../model/objects.ts';
import type { Recall } from '../model/recall.ts';
import type { TaintRule } from '../model/rule.ts';
import { selects } from './select.ts';

/** Rules by their narrowest criterion; `place` keeps the order of the list, because reports list rules by name. */
interface RuleIndex {
  readonly byDevice: ReadonlyMap<string, readonly Placed[]>;
  readonly byPool: ReadonlyMap<string, readonly Placed[]>;
  readonly byDriver: ReadonlyMap<string, readonly Placed[]>;
  readonly forAll: readonly Placed[];
}

interface Placed {
  readonly place: number;
  readonly rule: TaintRule;
}

/** The rules whose selector matches the device, in the order of the list. The index is cached per list; lists are immutable. */
export function rulesFor(device: DeviceId, rules: readonly TaintRule[], recall: Recall): readonly TaintRule[] {
  // Stryker disable next-line StringLiteral: any name distinguishes it from the others
  const index = recall('rule index', rules, () => buildIndex(rules));
  const placed = [
    ...(index.byDevice.get(device.device) ?? []),
    ...(index.byPool.get(device.pool) ?? []),
    ...(index.byDriver.get(device.driver) ?? []),
    ...index.forAll,
  ].filter(({ rule }) => selects(rule.deviceSelector, device));
  return placed.sort((a, b) => a.place - b.place).map(({ rule }) => rule);
}

function buildIndex(rules: readonly TaintRule[]): RuleIndex {
  const index = { byDevice: new Map(), byPool: new Map(), byDriver: new Map(), forAll: [] };
  for (const [place, rule] of rules.entries()) listFor(index, rule.deviceSelector ?? {}).push({ place, rule });
  return index;
}

interface GrowingIndex {
  readonly byDevice: Map<string, Placed[]>;
  readonly byPool: Map<string, Placed[]>;
  readonly byDriver: Map<string, Placed[]>;
  readonly forAll: Placed[];
}

/** The list of a rule's narrowest criterion. */
function listFor({ byDevice, byPool, byDriver, forAll }: GrowingIndex, selector: DeviceTaintSelector): Placed[] {
  const { device, pool, driver } = selector;
  // Stryker disable next-line ConditionalExpression: a wider list is filtered to the same rules, only slower
  if (device !== undefined) return listAt(byDevice, device);
  // Stryker disable next-line ConditionalExpression: a wider list is filtered to the same rules, only slower
  if (pool !== undefined) return listAt(byPool, pool);
  // Stryker disable next-line ConditionalExpression: a wider list is filtered to the same rules, only slower
  if (driver !== undefined) return listAt(byDriver, driver);
  return forAll;
}

function listAt(lists: Map<string, Placed[]>, key: string): Placed[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}
