// The same selectors in other npm CEL engines, with the minimal functions that each one needs.

import { Environment } from '@marcbachmann/cel-js';
import { evaluate as evaluateCelJs, parse as parseCelJs } from 'cel-js';
import type { DeviceFields } from '../../lib/cel/device.ts';

/** A device in plain values, for those engines. */
export interface PlainDevice {
  readonly driver: string;
  readonly attributes: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly capacity: Readonly<Record<string, Readonly<Record<string, Bytes>>>>;
}

/** A quantity in whole bytes, which is all that the benchmark compares. */
export class Bytes {
  readonly amount: bigint;

  constructor(amount: bigint) {
    this.amount = amount;
  }
}

const units: Readonly<Record<string, bigint>> = { Ki: 2n ** 10n, Mi: 2n ** 20n, Gi: 2n ** 30n, Ti: 2n ** 40n };

function bytesOf(text: string): Bytes {
  const [, digits = '0', unit = ''] = /^(\d+)([KMGT]i)?$/.exec(text) ?? [];
  return new Bytes(BigInt(digits) * (units[unit] ?? 1n));
}

function compared(a: Bytes, b: Bytes): bigint {
  if (a.amount === b.amount) return 0n;
  return a.amount < b.amount ? -1n : 1n;
}

/** Converts an API device: ints to bigint, versions to text; names without a domain get the driver's. */
export function plainDevice({ driver, attributes = {}, capacity = {} }: DeviceFields): PlainDevice {
  const values = byDomain(driver, attributes, (attribute) => {
    const [value] = Object.values(attribute);
    return attribute.int === undefined ? value : BigInt(attribute.int);
  });
  return { driver, attributes: values, capacity: byDomain(driver, capacity, ({ value }) => bytesOf(value)) };
}

function byDomain<T, U>(
  driver: string,
  fields: Readonly<Record<string, T>>,
  convert: (field: T) => U,
): Record<string, Record<string, U>> {
  const domains: Record<string, Record<string, U>> = {};
  for (const [name, field] of Object.entries(fields)) {
    const slash = name.indexOf('/');
    const domain = slash < 0 ? driver : name.slice(0, slash);
    const ids = domains[domain] ?? {};
    domains[domain] = ids;
    ids[name.slice(slash + 1)] = convert(field);
  }
  return domains;
}

/** Evaluates once per call; `cannot`: why the engine does not support the expression. */
export type Engine = ((device: PlainDevice) => unknown) | { readonly cannot: string };

function reason(error: unknown): { readonly cannot: string } {
  return { cannot: String(error instanceof Error ? error.message : error).split('\n')[0] ?? '' };
}

export function marcbachmann(expression: string): Engine {
  try {
    const environment = new Environment({ unlistedVariablesAreDyn: true, enableOptionalTypes: true })
      .registerType('Quantity', { ctor: Bytes, fields: {} })
      .registerFunction('quantity(string): Quantity', bytesOf)
      .registerFunction('Quantity.compareTo(Quantity): int', compared);
    const parsed = environment.parse(expression);
    return (device) => parsed({ device });
  } catch (error) {
    return reason(error);
  }
}

/** Parses once. Without a boolean result for the given device, the engine cannot evaluate the expression. */
export function celJs(expression: string): Engine {
  const parsed = parseCelJs(expression);
  if (!parsed.isSuccess) return { cannot: parsed.errors[0]?.split('\n')[0] ?? 'parse error' };
  return (device) => evaluateCelJs(parsed.cst, { device });
}
