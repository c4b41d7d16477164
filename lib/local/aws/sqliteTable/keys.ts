// Keys of tables and indexes: the names of the two attributes, and their values in SQLite.
import { type Item, ValidationError } from './attribute.ts';

export interface KeyNames {
  readonly hash: string;
  readonly range: string;
}

export type KeyValue = string | number;

export function keyOf({ hash, range }: KeyNames, item: Item): [KeyValue, KeyValue] {
  return [keyValue(item, hash), keyValue(item, range)];
}

export function keyValue(item: Item, name: string): KeyValue {
  const { S, N } = item[name] ?? {};
  if (typeof S === 'string' && S !== '') return S;
  if (typeof N === 'string') return Number(N);
  throw new ValidationError(`One or more parameter values were invalid: Missing the key ${name} in the item`);
}
