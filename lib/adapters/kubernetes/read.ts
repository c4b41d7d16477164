// Reads untyped API objects: absent fields stay absent, fields of the wrong type are recorded as problems.
import type { ControllerReference } from '../../model/objects.ts';
import { type Instant, type Milliseconds, parseDuration, parseInstant } from '../../model/time.ts';

/**
 * `Unreadable` if a field that a decision needs cannot be read. `harmless`: the same object without anything that could evict a pod; absent
 * if not even its identity is readable.
 */
export type Projected<T> =
  | { readonly kind: 'Projected'; readonly object: T }
  | { readonly kind: 'Unreadable'; readonly why: string; readonly harmless?: T };

export type Json = Readonly<Record<string, unknown>>;

/** Paths of fields that do not match the API; filled while an object is read. */
export type Problems = string[];

export function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

export function listOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.map(objectOf) : [];
}

/** `undefined` for anything except a string; an empty string is kept. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function numberOf(value: unknown): number | undefined {
  return isNumber(value) ? countable(value) : undefined;
}

/** int64 in the API; clamped to ±2^53, since larger values make no difference and cannot be stored. */
function countable(value: number): number {
  return Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, value));
}

/** `undefined` for anything except a time; every reader keeps the pod if the time is unknown. */
export function instantOf(value: unknown): Instant | undefined {
  return parseInstant(textOf(value));
}

/** A view of one JSON object that records unreadable fields with their paths. */
export interface Reader {
  /** Empty and a problem if absent or not a string. */
  text(name: string): string;
  /** A problem if present and not a string. */
  optionalText(name: string): string | undefined;
  optionalNumber(name: string): number | undefined;
  /** 0 and a problem if absent or not a duration. */
  duration(name: string): Milliseconds;
  /** A problem if present and not a duration. */
  optionalDuration(name: string): Milliseconds | undefined;
  object(name: string): Reader | undefined;
  list(name: string): readonly Reader[];
  /** For checks across several fields. */
  problem(what: string): void;
  readonly members: Json;
}

export function readerOf(value: unknown, problems: Problems, path = ''): Reader {
  const members = objectOf(value);
  const at = (name: string) => (path ? `${path}.${name}` : name);
  const typed = <T>(name: string, is: (found: unknown) => found is T, expected: string): T | undefined => {
    const found = members[name];
    if (found === undefined || found === null) return undefined;
    if (is(found)) return found;
    problems.push(`${at(name)} is not ${expected}`);
    return undefined;
  };
  const problem = (what: string) => void problems.push(path ? `${path}: ${what}` : what);
  const optionalText = (name: string) => typed(name, isText, 'a text');
  const text = (name: string) => {
    if (members[name] === undefined || members[name] === null) problems.push(`${at(name)} is missing`);
    return optionalText(name) ?? '';
  };
  const lengthOf = (name: string, written: string) => {
    const length = parseDuration(written);
    if (length === undefined) problem(`${name} "${written}" is no duration such as 90s or 8h of at most 8784h`);
    return length;
  };
  return {
    members,
    problem,
    text,
    optionalText,
    optionalNumber: (name) => numberOf(typed(name, isNumber, 'a number')),
    duration: (name) => lengthOf(name, text(name)) ?? 0,
    optionalDuration(name) {
      const written = optionalText(name);
      return written === undefined ? undefined : lengthOf(name, written);
    },
    object(name) {
      const found = typed(name, isObject, 'an object');
      return found && readerOf(found, problems, at(name));
    },
    list(name) {
      const found = typed(name, Array.isArray, 'a list') ?? [];
      return found.map((entry, i) => {
        if (!isObject(entry)) problems.push(`${at(name)}[${i}] is not an object`);
        return readerOf(entry, problems, `${at(name)}[${i}]`);
      });
    },
  };
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Leaves out undefined fields, so that optional fields stay optional. */
export function present<T extends object>(members: { [K in keyof T]: T[K] | undefined }): Partial<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Partial<T>;
}

export interface Meta {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly namespace: string;
}

/** `undefined` if name, UID or a decimal resourceVersion (KEP-5504) is missing: such an object has no identity. */
export function metaOf(object: Json): Meta | undefined {
  const metadata = objectOf(object.metadata);
  const [name, uid, resourceVersion] = [textOf(metadata.name), textOf(metadata.uid), textOf(metadata.resourceVersion)];
  if (!name || !uid || !resourceVersion || !/^\d{1,20}$/.test(resourceVersion)) return undefined;
  return { name, uid, resourceVersion, namespace: textOf(metadata.namespace) ?? '' };
}

/** The result for an unreadable object that has an identity. */
export function unreadable<T>(
  kind: string,
  value: unknown,
  by: { readonly problems: Problems; readonly harmless?: T },
): Projected<T> {
  const metadata = objectOf(objectOf(value).metadata);
  const name = [textOf(metadata.namespace), textOf(metadata.name) ?? '(no name)'].filter(Boolean).join('/');
  const why = `${kind} ${name} cannot be read: ${by.problems.slice(0, 5).join(', ')}; it evicts no pod until it is corrected`;
  return { kind: 'Unreadable', why, ...(by.harmless === undefined ? {} : { harmless: by.harmless }) };
}

export const noIdentity: Problems = ['metadata.name, metadata.uid or a decimal metadata.resourceVersion is missing'];

/** Missing fields become empty and match no owner. */
export function controllerOf(object: Json): ControllerReference | undefined {
  const owner = listOf(objectOf(object.metadata).ownerReferences).find((one) => one.controller === true);
  if (!owner) return undefined;
  return {
    apiVersion: textOf(owner.apiVersion) ?? '',
    kind: textOf(owner.kind) ?? '',
    name: textOf(owner.name) ?? '',
    uid: textOf(owner.uid) ?? '',
  };
}

/** `sluice.dev/<name>`, or under a subdomain, such as `pause.sluice.dev/<name>`. */
const ours = /^([a-z0-9-]+\.)?sluice\.dev\//;

/** Only annotations that Sluice defines. */
export function annotationsOf(object: Json): Readonly<Record<string, string>> | undefined {
  const all = Object.entries(objectOf(objectOf(object.metadata).annotations));
  const found = all.filter((entry): entry is [string, string] => ours.test(entry[0]) && typeof entry[1] === 'string');
  return found.length > 0 ? Object.fromEntries(found) : undefined;
}

export function labelsOf(object: Json): Readonly<Record<string, string>> | undefined {
  const all = Object.entries(objectOf(objectOf(object.metadata).labels));
  const found = all.filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return found.length > 0 ? Object.fromEntries(found) : undefined;
}
