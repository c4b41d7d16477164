// Reads option values and rejects invalid ones before anything is attempted.
import { isObjectName } from '../adapters/kubernetes/objectName.ts';
import type { Flags } from './definition.ts';
import { UsageFailure } from './failure.ts';

export function textFlag(flags: Flags, name: string): string | undefined {
  const value = flags[name];
  if (value === '') throw new UsageFailure(`${optionOf(name)} is empty`);
  return typeof value === 'string' ? value : undefined;
}

export function textsFlag(flags: Flags, name: string): readonly string[] {
  const value = flags[name];
  return Array.isArray(value) ? value.map(String) : [];
}

export function isSet(flags: Flags, name: string): boolean {
  return flags[name] === true;
}

/** Validates the name of a Kubernetes object; every name from the command line must pass it. */
export function requireName(text: string): string {
  if (isObjectName(text)) return text;
  throw new UsageFailure(
    `"${text}" is not the name of a Kubernetes object: lower-case letters, digits, dashes and dots, 253 at most`,
  );
}

export function namespaceFlag(flags: Flags): string | undefined {
  const namespace = textFlag(flags, 'namespace');
  return namespace === undefined ? undefined : requireName(namespace);
}

interface Range {
  readonly least?: number;
  readonly most?: number;
  readonly isWhole?: true;
  readonly mostDecimals?: number;
}

export function numberFlag(flags: Flags, name: string, range: Range = {}): number | undefined {
  const text = textFlag(flags, name);
  if (text === undefined) return undefined;
  const value = Number(text);
  const { least = 0, most = Number.MAX_SAFE_INTEGER, isWhole, mostDecimals } = range;
  const fits = text.trim() !== '' && Number.isFinite(value) && value >= least && value <= most;
  const isRound = mostDecimals === undefined || Number(value.toFixed(mostDecimals)) === value;
  if (fits && isRound && (!isWhole || Number.isInteger(value))) return value;
  const wanted = range.most === undefined ? `of at least ${least}` : `from ${least} to ${most}`;
  throw new UsageFailure(
    `${optionOf(name)} is "${text}", expected a ${isWhole ? 'whole ' : ''}number ${wanted}${mostDecimals === undefined ? '' : ` with at most ${mostDecimals} decimals`}`,
  );
}

function optionOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
