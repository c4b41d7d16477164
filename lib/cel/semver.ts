// Semantic versions 2.0.0: strict parsing, the normalising form of Kubernetes 1.33, and precedence.

import { order } from './compare.ts';
import { parseUint64 } from './int.ts';
import { CelError, Opaque, type Value } from './values.ts';

/** Build metadata is checked and dropped: it does not affect precedence. */
export class Semver extends Opaque {
  override readonly kind = 'kubernetes.Semver';
  readonly major: bigint;
  readonly minor: bigint;
  readonly patch: bigint;
  /** Prerelease identifiers; numeric ones as bigint. */
  readonly prerelease: readonly (string | bigint)[];

  constructor(numbers: readonly [bigint, bigint, bigint], prerelease: readonly (string | bigint)[]) {
    super();
    [this.major, this.minor, this.patch] = numbers;
    this.prerelease = prerelease;
  }

  override equals(other: Value): boolean | CelError {
    return other instanceof Semver ? compareSemvers(this, other) === 0 : new CelError('no such overload');
  }
}

export function compareSemvers(a: Semver, b: Semver): -1 | 0 | 1 {
  return order(a.major, b.major) || order(a.minor, b.minor) || order(a.patch, b.patch) || comparePrereleases(a, b);
}

/** A version without a prerelease is above every prerelease of it. */
function comparePrereleases(a: Semver, b: Semver): -1 | 0 | 1 {
  if (a.prerelease.length === 0 || b.prerelease.length === 0) return order(b.prerelease.length, a.prerelease.length);
  for (const [index, x] of a.prerelease.entries()) {
    const y = b.prerelease[index];
    if (y === undefined) return 1;
    const result = compareIdentifiers(x, y);
    if (result !== 0) return result;
  }
  return order(a.prerelease.length, b.prerelease.length);
}

function compareIdentifiers(x: string | bigint, y: string | bigint): -1 | 0 | 1 {
  if (typeof x === 'bigint') return typeof y === 'bigint' ? order(x, y) : -1;
  return typeof y === 'bigint' ? 1 : order(x, y);
}

/** Undefined if the text is not a strict semantic version. */
export function parseSemver(text: string): Semver | undefined {
  const found = /^([0-9]+)\.([0-9]+)\.([0-9]*)(?:-([^+]*))?(?:\+(.*))?$/su.exec(text);
  if (!found) return undefined;
  const [, major = '', minor = '', patch = '', prerelease, build] = found;
  const numbers = [major, minor, patch].map(numeric);
  const [x, y, z] = numbers;
  if (x === undefined || y === undefined || z === undefined) return undefined;
  if (build !== undefined && !build.split('.').every((part) => /^[0-9A-Za-z-]+$/.test(part))) return undefined;
  const identifiers = prerelease === undefined ? [] : prerelease.split('.').map(identifier);
  if (identifiers.some((part) => part === undefined)) return undefined;
  return new Semver(
    [x, y, z],
    identifiers.filter((part) => part !== undefined),
  );
}

function numeric(text: string): bigint | undefined {
  return text.length > 1 && text.startsWith('0') ? undefined : parseUint64(text);
}

function identifier(text: string): string | bigint | undefined {
  if (/^[0-9]+$/.test(text)) return numeric(text);
  return /^[0-9A-Za-z-]+$/.test(text) ? text : undefined;
}

/** Drops one leading `v` and leading zeros, and adds missing numbers unless the short form has more than numbers. */
export function parseNormalized(text: string): Semver | undefined {
  const parts = splitInThree(text.replace(/^v/, ''));
  const stripped = parts.map((part) => (part.length > 1 ? withoutZeros(part) : part));
  if (stripped.length < 3 && /[+-]/.test(stripped.at(-1) ?? '')) return undefined;
  while (stripped.length < 3) stripped.push('0');
  return parseSemver(stripped.join('.'));
}

function withoutZeros(part: string): string {
  const rest = part.replace(/^0+/, '');
  return /^[0-9]/.test(rest) ? rest : `0${rest}`;
}

function splitInThree(text: string): string[] {
  const [first = '', second, ...rest] = text.split('.');
  if (second === undefined) return [first];
  return rest.length === 0 ? [first, second] : [first, second, rest.join('.')];
}
