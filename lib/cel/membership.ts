// `x in [constants]`: a set that is built once. It compares by hash like upstream's, with the same quirks.

import { Abort } from './abort.ts';
import type { Step } from './evaluation.ts';
import { doubleAsInt, doubleAsUint } from './int.ts';
import type { Plan } from './planned.ts';
import { CelDouble, type CelList, CelUint, isError, isInt, typeName, type Value } from './values.ts';

interface Members {
  /** Strings, bools and ints. */
  readonly plain: Set<Value>;
  readonly uints: Set<bigint>;
  readonly doubles: Set<number>;
}

/** Undefined if an element is not a scalar: then the list is searched. An empty list needs no evaluation. */
export function constantMembership(step: Step, list: CelList): Plan | undefined {
  if (list.size === 0) return { step: () => false, constant: false };
  const members: Members = { plain: new Set(), uints: new Set(), doubles: new Set() };
  for (const item of list) if (!added(members, item)) return undefined;
  const { plain } = members;
  return {
    step: (run) => {
      const value = step(run);
      if (typeof value === 'string' || typeof value === 'number') return plain.has(value);
      return isError(value) ? value : contains(members, value);
    },
  };
}

function added(members: Members, item: Value): boolean {
  if (isInt(item)) return addedInt(members, item);
  if (typeof item === 'string' || typeof item === 'boolean') members.plain.add(item);
  else if (item instanceof CelUint) addUint(members, item);
  else if (item instanceof CelDouble) addDouble(members, item);
  else return false;
  return true;
}

/** An int also matches the double nearest to it. */
function addedInt(members: Members, item: number | bigint): true {
  members.plain.add(item);
  members.doubles.add(Number(item));
  if (item >= 0) members.uints.add(BigInt(item));
  return true;
}

function addUint(members: Members, { value }: CelUint): void {
  members.uints.add(value);
  members.doubles.add(Number(value));
  if (value < 2n ** 63n) members.plain.add(value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value);
}

function addDouble(members: Members, { value }: CelDouble): void {
  if (Number.isNaN(value)) return;
  members.doubles.add(value);
  const [asInt, asUint] = [doubleAsInt(value), doubleAsUint(value)];
  if (asInt !== undefined) members.plain.add(asInt);
  if (asUint !== undefined) members.uints.add(asUint);
}

/** Types that upstream cannot hash abort the evaluation there, and here. */
const unhashable = new Set(['bytes', 'kubernetes.Semver', 'kubernetes.NamedFormat']);

function contains(members: Members, value: Value): boolean {
  if (value instanceof CelUint) return members.uints.has(value.value);
  if (value instanceof CelDouble) return members.doubles.has(value.value);
  if (unhashable.has(typeName(value)))
    throw new Abort(`a value of type ${typeName(value)} cannot be looked up in a set`);
  return members.plain.has(value);
}
