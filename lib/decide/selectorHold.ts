// What is wrong with a rule's selector, and on how little its selection rests: in words for the rule's status.
import type { Place } from '../cel/selection.ts';
import type { Hold } from '../model/hold.ts';
import type { TaintRule } from '../model/rule.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { lacksClass, matchDevice, readsProperties, selectorsOf } from './deviceMatch.ts';

/** A rule whose selector cannot be used selects nothing, which nobody should have to guess. */
export function selectorHold(rule: TaintRule): Hold | undefined {
  const { deviceSelector } = rule;
  if (!deviceSelector || !readsProperties(deviceSelector)) return undefined;
  const { deviceClassName: name } = deviceSelector;
  if (lacksClass(rule)) {
    const message = `DeviceClass ${name} does not exist, so the rule selects nothing: create it, or name another one.`;
    return { reason: 'DeviceClassNotFound', message };
  }
  const compiled = selectorsOf(rule);
  if (compiled.kind !== 'Refused') return undefined;
  const { line, column } = compiled.position;
  const message = `${whereOf(compiled.at, name)} cannot be used, so the rule selects nothing: line ${line}, column ${column}: ${compiled.message}`;
  return { reason: 'SelectorRefused', message };
}

function whereOf({ of, index }: Place, className: string | undefined): string {
  return of === 'rule'
    ? `spec.deviceSelector.selectors[${index}]`
    : `spec.selectors[${index}] of DeviceClass ${className}`;
}

/** Allocated devices that were selected by what they were when last seen, and those about which nobody can say; empty without any. */
export function selectionNote(rule: TaintRule, snapshot: Snapshot): string {
  let [remembered, unknown] = [0, 0];
  for (const { allocation } of snapshot.claims.values()) {
    for (const device of allocation?.devices ?? []) {
      const match = matchDevice(rule, device, snapshot);
      // Stryker disable next-line ConditionalExpression: no other kind of match has been remembered
      if (match.kind === 'Selected' && match.remembered) remembered++;
      if (match.kind === 'Unknown') unknown++;
    }
  }
  return [
    ...(remembered > 0 ? [`${devices(remembered)} selected by attributes as last seen.`] : []),
    ...(unknown > 0 ? [`${devices(unknown)} never seen and not acted on.`] : []),
  ].join(' ');
}

function devices(count: number): string {
  return `${count} allocated device${count === 1 ? '' : 's'}`;
}
