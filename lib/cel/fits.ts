// Whether a value matches a declared static type; containers are checked by their first element.
import { isDyn, type Type } from './types.ts';
import { CelList, CelMap, typeName, type Value } from './values.ts';

/** The same check for one type and many values. */
export function fitterOf(type: Type): (value: Value | undefined) => boolean {
  const { kind, name } = type;
  if (kind === 'object') return (value) => typeof value === 'object' && value !== null && value.kind === name;
  if (kind === 'string') return (value) => typeof value === 'string';
  return (value) => fits(type, value);
}

export function fits(type: Type, value: Value | undefined): boolean {
  if (value === undefined) return false;
  if (isDyn(type) || type.kind === 'param') return true;
  if (typeName(value) !== type.name) return false;
  const [first, second] = type.params;
  if (value instanceof CelList) return value.size === 0 || first === undefined || fits(first, value.at(0));
  if (!(value instanceof CelMap) || !first || !second) return true;
  for (const key of value.keys()) return fits(first, key) && fits(second, value.get(key));
  return true;
}
