// Narrow reading of untyped API objects: a member of the wrong type counts as absent, a missing identity is a problem.
import type { ControllerReference, DeviceTaint } from '../../model/objects.ts';
import { type Instant, parseInstant } from '../../model/time.ts';

export type Projected<T> =
  | { readonly kind: 'Projected'; readonly object: T }
  | { readonly kind: 'Unreadable'; readonly why: string };

export type Json = Readonly<Record<string, unknown>>;

export function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

export function listOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.map(objectOf) : [];
}

/** Absent for anything but a text; an empty text is kept. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

export function instantOf(value: unknown): Instant | undefined {
  return parseInstant(textOf(value));
}

/** Leaves out members that are absent, so that optional members stay optional. */
export function present<T extends object>(members: { [K in keyof T]: T[K] | undefined }): Partial<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Partial<T>;
}

export interface Meta {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly namespace: string;
}

/** `undefined` where name, UID or a decimal resourceVersion is missing: such an object has no identity. */
export function metaOf(object: Json): Meta | undefined {
  const metadata = objectOf(object.metadata);
  const [name, uid, resourceVersion] = [textOf(metadata.name), textOf(metadata.uid), textOf(metadata.resourceVersion)];
  if (!name || !uid || !resourceVersion || !/^\d+$/.test(resourceVersion)) return undefined;
  return { name, uid, resourceVersion, namespace: textOf(metadata.namespace) ?? '' };
}

export function unreadable(kind: string, object: Json): { readonly kind: 'Unreadable'; readonly why: string } {
  const metadata = objectOf(object.metadata);
  const who = `${textOf(metadata.namespace) ?? ''}/${textOf(metadata.name) ?? '?'}`;
  return {
    kind: 'Unreadable',
    why: `${kind} ${who}: name, uid or a decimal resourceVersion is missing; it is left out`,
  };
}

export function controllerOf(object: Json): ControllerReference | undefined {
  const owner = listOf(objectOf(object.metadata).ownerReferences).find((one) => one.controller === true);
  if (!owner) return undefined;
  const [apiVersion, kind, name, uid] = [owner.apiVersion, owner.kind, owner.name, owner.uid].map(
    (one) => textOf(one) ?? '',
  );
  return { apiVersion: apiVersion ?? '', kind: kind ?? '', name: name ?? '', uid: uid ?? '' };
}

/** Only annotations that Sluice defines. */
export function annotationsOf(object: Json): Readonly<Record<string, string>> | undefined {
  const all = Object.entries(objectOf(objectOf(object.metadata).annotations));
  const ours = all.filter(
    (entry): entry is [string, string] => entry[0].startsWith('sluice.dev/') && typeof entry[1] === 'string',
  );
  return ours.length > 0 ? Object.fromEntries(ours) : undefined;
}

export function taintOf(value: unknown): DeviceTaint {
  const taint = objectOf(value);
  return {
    key: textOf(taint.key) ?? '',
    effect: textOf(taint.effect) ?? '',
    ...present<{ value: string; timeAdded: Instant }>({
      value: textOf(taint.value),
      timeAdded: instantOf(taint.timeAdded),
    }),
  };
}
