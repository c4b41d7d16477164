// Errors in a rule's selector, for the rule's status.
import type { Place } from '../cel/selection.ts';
import type { Hold } from '../model/hold.ts';
import { createRecall, type Recall } from '../model/recall.ts';
import type { TaintRule } from '../model/rule.ts';
import type { Pool } from '../model/snapshot.ts';
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

/** A page asks at each of its updates, so that a pool is evaluated once: neither pools nor rules change. */
function failsEverywhere(rule: TaintRule, seen: Published): string | undefined {
  // Stryker disable next-line StringLiteral: any name distinguishes it from the others
  const known = seen.recall('selector by pool', rule, createRecall);
  let failure: string | undefined;
  for (const pool of seen.pools.values()) {
    // Stryker disable next-line StringLiteral: any name distinguishes it from the others
    const found = known('pool', pool, () => tryInPool(rule, pool, seen));
    if (found === evaluated) return undefined;
    failure ??= found;
  }
  return failure;
}

const evaluated = Symbol('evaluated');

/**
 * `evaluated` if the selector could be on one of the pool's devices, else how it failed on the first; `undefined`: it concerns none.
 * Devices of other classes do not count, because the rule's own expressions are not evaluated on them.
 */
function tryInPool(
  rule: TaintRule,
  { driver, name: pool, published }: Pool,
  seen: Published,
): typeof evaluated | string | undefined {
  const { deviceSelector = {} } = rule;
  const compiled = selectorsOf(rule, seen.recall);
  let failure: string | undefined;
  for (const device of published.keys()) {
    const id = { driver, pool, device };
    // Stryker disable next-line ConditionalExpression,StringLiteral: a refused selector is a hold, and is not tried
    if (compiled.kind === 'Refused' || !selects(deviceSelector, id)) continue;
    const match = compiled.matches(propertiesOf(id, seen));
    if (match.kind === 'Selected' || (match.kind === 'NotSelected' && match.by.of === 'rule')) return evaluated;
    if (match.kind === 'Failed')
      failure ??= `${whereOf(match.at, deviceSelector.deviceClassName)} fails on every device that it is evaluated on, so the rule selects nothing: ${match.reason}`;
  }
  return failure;
}

function whereOf({ of, index }: Place, className: string | undefined): string {
  return of === 'rule'
    ? `spec.deviceSelector.selectors[${index}]`
    : `spec.selectors[${index}] of DeviceClass ${className}`;
}
