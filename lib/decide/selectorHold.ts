// Errors in a rule's selector, for the rule's status.
import type { Place } from '../cel/selection.ts';
import type { Hold } from '../model/hold.ts';
import type { Recall } from '../model/recall.ts';
import type { TaintRule } from '../model/rule.ts';
import { lacksClass, readsProperties, selectorsOf } from './deviceMatch.ts';

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

function whereOf({ of, index }: Place, className: string | undefined): string {
  return of === 'rule'
    ? `spec.deviceSelector.selectors[${index}]`
    : `spec.selectors[${index}] of DeviceClass ${className}`;
}
