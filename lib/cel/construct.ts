// List and map literals; constant ones are built once, at compile time.

import { Abort } from './abort.ts';
import type { Evaluation, Step } from './evaluation.ts';
import { emptyList } from './list.ts';
import { keyOf, ScalarMap } from './map.ts';
import { constantPlan, type Plan } from './planned.ts';
import { Refusal } from './refusal.ts';
import { CelError, CelList, CelOptional, isError, typeName, type Value } from './values.ts';

/** Cost of creating a list and a map. */
const listCost = 10;
const mapCost = 30;

interface ElementPlan {
  readonly value: Plan;
  readonly optional: boolean;
}

interface EntryPlan extends ElementPlan {
  readonly key: Plan;
}

export function listPlan(elements: readonly ElementPlan[]): Plan {
  if (elements.length === 0) return constantPlan(emptyList);
  const constants = elements.map(({ value }) => value.constant);
  if (constants.every((value) => value !== undefined) && elements.every(({ optional }) => !optional)) {
    return constantPlan(new CelList(constants.filter((value) => value !== undefined)));
  }
  return { step: (run) => builtList(run, elements) };
}

function builtList(run: Evaluation, elements: readonly ElementPlan[]): Value {
  run.cost += listCost;
  const items: Value[] = [];
  for (const { value, optional } of elements) {
    const item = value.step(run);
    if (isError(item)) return item;
    if (!optional) items.push(item);
    else if (!(item instanceof CelOptional)) return notOptional(item);
    else if (item.value !== undefined) items.push(item.value);
  }
  return new CelList(items);
}

function notOptional(value: Value): CelError {
  return new CelError(`cannot initialize an optional element from a value of type ${typeName(value)}`);
}

export function mapPlan(at: number, entries: readonly EntryPlan[]): Plan {
  const isConstant = entries.every(({ key, value }) => key.constant !== undefined && value.constant !== undefined);
  const step: Step = (run) => builtMap(run, entries);
  if (!isConstant || entries.some(({ optional }) => optional)) return { step };
  return constantPlan(constantMap(at, entries));
}

/** An invalid key refuses the expression; upstream fails there too. */
function constantMap(at: number, entries: readonly EntryPlan[]): Value {
  try {
    const made = new Map<string, readonly [Value, Value]>();
    for (const { key, value } of entries) {
      const [k = null, v = null] = [key.constant, value.constant];
      made.set(keyOf(k, made.size), [k, v]);
    }
    return new ScalarMap(made);
  } catch (error) {
    if (error instanceof Abort) throw new Refusal(at, error.message);
    throw error;
  }
}

function builtMap(run: Evaluation, entries: readonly EntryPlan[]): Value {
  run.cost += mapCost;
  const made = new Map<string, readonly [Value, Value]>();
  for (const entry of entries) {
    const key = entry.key.step(run);
    if (isError(key)) return key;
    const value = entry.value.step(run);
    if (isError(value)) return value;
    if (entry.optional && !(value instanceof CelOptional)) return notOptional(value);
    const held = entry.optional && value instanceof CelOptional ? value.value : value;
    if (held === undefined) made.delete(keyOf(key));
    else made.set(keyOf(key, made.size), [key, held]);
  }
  return new ScalarMap(made);
}
