// Errors in a rule's selector, for the rule's status.
import type { Place } from '../cel/selection.ts';
import type { Hold } from '../model/hold.ts';
import type { DeviceId } from '../model/identity.ts';
import type { Recall } from '../model/recall.ts';
import type { PacedDeviceSelector, TaintRule } from '../model/rule.ts';
import { lacksClass, type Published, propertiesOf, readsProperties, selectorsOf } from './deviceMatch.ts';
import { selects } from './select.ts';

/** A rule with an unusable selector selects no device; its status gives the error. */
export function selectorHold(rule: TaintRule, recall: Recall): Hold | undefined {
  const { deviceSelector } = rule;
  if (!deviceSelector || !readsProperties(deviceSelector)) return undefined;
  const { deviceClassName: name } = deviceSelector;
  if (lacksClass(rule)) {
    const message = `DeviceClass ${name} does not exist, so the rule selects nothing: create it, or name another one.`;
    return { reason: 'DeviceClassNotFound', message };
  }
  const compiled = selectorsOf(rule, recall);
  if (compiled.kind !== 'Refused') return undefined;
  const { line, column } = compiled.position;
  const message = `${whereOf(compiled.at, name)} cannot be used, so the rule selects nothing: line ${line}, column ${column}: ${compiled.message}`;
  return { reason: 'SelectorRefused', message };
}

/** Why a rule selects no device, if its selector cannot be used or fails wherever it is evaluated. */
export function selectsNothing(rule: TaintRule, seen: Published): string | undefined {
  return selectorHold(rule, seen.recall)?.message ?? failsEverywhere(rule, seen);
}

/** Devices of other classes do not count, because the rule's own expressions are not evaluated on them. */
function failsEverywhere(rule: TaintRule, seen: Published): string | undefined {
  const { deviceSelector } = rule;
  if (!deviceSelector || !readsProperties(deviceSelector)) return undefined;
  const compiled = selectorsOf(rule, seen.recall);
  if (compiled.kind === 'Refused') return undefined;
  let failure: string | undefined;
  for (const device of devicesNamed(deviceSelector, seen)) {
    const match = compiled.matches(propertiesOf(device, seen));
    if (match.kind === 'Selected' || (match.kind === 'NotSelected' && match.by.of === 'rule')) return undefined;
    if (match.kind === 'Failed')
      failure ??= `${whereOf(match.at, deviceSelector.deviceClassName)} fails on every device that it is evaluated on, so the rule selects nothing: ${match.reason}`;
  }
  return failure;
}

function* devicesNamed(selector: PacedDeviceSelector, { pools }: Published): Iterable<DeviceId> {
  for (const { driver, name: pool, published } of pools.values())
    for (const device of published.keys()) {
      const id = { driver, pool, device };
      if (selects(selector, id)) yield id;
    }
}

function whereOf({ of, index }: Place, className: string | undefined): string {
  return of === 'rule'
    ? `spec.deviceSelector.selectors[${index}]`
    : `spec.selectors[${index}] of DeviceClass ${className}`;
}
