// What the watcher sends for what a list or watch shows: changed projections only, deletions of what was sent, manifests.
import { rangeCount, rangeOf } from '../mirror/ranges.ts';
import { isRelevant } from '../mirror/relevant.ts';
import type { Absent, Change, Manifest, ManifestEntry } from '../model/change.ts';
import type { ObjectKind, ObjectProjection } from '../model/projection.ts';
import { sliceKey, taintSliceKey } from '../state/keys.ts';
import { contentOf, emptied, fingerprint, sizeOf, stripped } from './forwardContent.ts';

/** What a list or watch shows of one object; see `Projected` of the Kubernetes adapter. */
export type Shown =
  | { readonly kind: 'Projected'; readonly object: ObjectProjection }
  | { readonly kind: 'Unreadable'; readonly why: string; readonly harmless?: ObjectProjection };

/** The changes to send; `problem` says what of the object could not be sent as it is. */
export interface Forwarded {
  readonly changes: readonly Change[];
  readonly problem?: string;
}

/** What was last sent of an object. */
interface Sent {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly fingerprint: number;
}

/** The memory of one kind's watch, by range and manifest key; it is lost with the process, and then everything is sent again. */
export interface ForwardMemory {
  readonly kind: ObjectKind;
  readonly ranges: readonly Map<string, Sent>[];
  /** While a list is read: the keys that it has shown. */
  listed: Set<string> | undefined;
}

/** A manifest message stays far below SQS's 1 MiB, so that a batch of them fits into few requests. */
const manifestBytes = 60_000;

/** A row of the table holds 400 KB (DynamoDB, item size), and more in it than the object. */
const objectBytes = 350_000;

const nothing: Forwarded = { changes: [] };

export function createForwardMemory(kind: ObjectKind): ForwardMemory {
  return { kind, ranges: Array.from({ length: rangeCount }, () => new Map()), listed: undefined };
}

function sentOf({ ranges }: ForwardMemory, key: string): Map<string, Sent> {
  const sent = ranges[rangeOf(key)];
  if (!sent) throw new Error(`${key} is in no range`);
  return sent;
}

/** Objects that were sent and are there. */
export function countSent({ ranges }: ForwardMemory): number {
  return ranges.reduce((sum, sent) => sum + sent.size, 0);
}

/** The key of an object in manifests and in the table. */
export function manifestKey(object: ObjectProjection): string {
  switch (object.kind) {
    case 'Pod':
    case 'ResourceClaim':
      return `${object.namespace}/${object.name}`;
    case 'ResourceSlice':
      return sliceKey(object);
    case 'DeviceTaintSlice':
      return taintSliceKey(object);
    case 'DeviceTaintRule':
    case 'PacedTaintRule':
    case 'EvictionPolicy':
    case 'DeviceClass':
    case 'Namespace':
      return object.name;
    default:
      return object satisfies never;
  }
}

/**
 * An object in a list, or in an ADDED or MODIFIED event. Its version does not count: the same content is not sent again. An
 * unreadable object is sent as one that can evict no pod, because an older state of it may be stored.
 */
export function forwardShown(memory: ForwardMemory, shown: Shown): Forwarded {
  const object = shown.kind === 'Projected' ? shown.object : shown.harmless;
  if (!object) return problemOf(shown);
  const key = manifestKey(object);
  memory.listed?.add(key);
  const sent = sentOf(memory, key);
  const before = sent.get(key);
  if (!isRelevant(object) && before === undefined) return problemOf(shown);
  const text = JSON.stringify(contentOf(object));
  const { uid, resourceVersion } = object;
  const now: Sent = { uid, resourceVersion, fingerprint: fingerprint(text) };
  if (before?.uid === now.uid && before.fingerprint === now.fingerprint) return nothing;
  sent.set(key, now);
  return forwardObject('Upserted', { shown, object, bytes: sizeOf(text) });
}

/** A DELETED event; one of a pod without claims that was never sent is of no interest. */
export function forwardDeleted(memory: ForwardMemory, shown: Shown): Forwarded {
  const object = shown.kind === 'Projected' ? shown.object : shown.harmless;
  if (!object) return problemOf(shown);
  const key = manifestKey(object);
  const known = sentOf(memory, key).delete(key);
  if (!known && !isRelevant(object)) return problemOf(shown);
  return forwardObject('Deleted', { shown, object, bytes: sizeOf(JSON.stringify(object)) });
}

/**
 * The answer to a request: what a list of this one object showed, or did not. The memory stays as the watch has it, because the list
 * may be ahead of it.
 */
export function forwardRequested(
  memory: ForwardMemory,
  by: { readonly key: string; readonly shown: Shown | undefined; readonly resourceVersion: string },
): Forwarded {
  const { key, shown, resourceVersion } = by;
  const absent: Absent = { type: 'Absent', kind: memory.kind, key, resourceVersion };
  if (!shown) return { changes: [absent] };
  const object = shown.kind === 'Projected' ? shown.object : shown.harmless;
  if (!object) return problemOf(shown);
  if (manifestKey(object) !== key || (!isRelevant(object) && !sentOf(memory, key).has(key)))
    return { changes: [absent] };
  return forwardObject('Upserted', { shown, object, bytes: sizeOf(JSON.stringify(contentOf(object))) });
}

function forwardObject(
  type: 'Upserted' | 'Deleted',
  what: { readonly shown: Shown; readonly object: ObjectProjection; readonly bytes: number },
): Forwarded {
  const { shown, object, bytes } = what;
  if (object.kind === 'ResourceSlice' && bytes > objectBytes) {
    const lean = stripped(object);
    const left = sizeOf(JSON.stringify(lean));
    const problem = `ResourceSlice ${manifestKey(object)} is too large to keep its attributes: rules that read them do not act on its devices`;
    if (left <= objectBytes) return { changes: [{ type, object: lean }], problem };
  }
  if (bytes <= objectBytes) return { ...problemOf(shown), changes: [{ type, object }] };
  const key = manifestKey(object);
  const problem = `${object.kind} ${key} is larger than ${objectBytes / 1000} KB and is refused; pods that depend on it stay`;
  const refused = type === 'Upserted' ? ({ refused: true } as const) : {};
  return { changes: [{ type, object: emptied(object), ...refused }], problem };
}

function problemOf(shown: Shown): Forwarded {
  return shown.kind === 'Unreadable' ? { changes: [], problem: shown.why } : nothing;
}

export function beginList(memory: ForwardMemory): void {
  memory.listed = new Set();
}

/** After a list of this version: what was sent before and it did not show is gone, though no watch has shown how. */
export function endList(memory: ForwardMemory, resourceVersion: string): readonly Absent[] {
  const { kind, listed = new Set() } = memory;
  memory.listed = undefined;
  const gone = memory.ranges.flatMap((sent) => [...sent.keys()].filter((key) => !listed.has(key)));
  for (const key of gone) sentOf(memory, key).delete(key);
  return gone.map((key) => ({ type: 'Absent', kind, key, resourceVersion }));
}

/** What the ranges from `from` on hold, as many of them as fit into a message, at the version that the watch has reached. */
export function manifestFrom(
  memory: ForwardMemory,
  { from, resourceVersion }: { readonly from: number; readonly resourceVersion: string },
): Manifest {
  const entries: ManifestEntry[] = [];
  let [to, bytes] = [from, 0];
  for (let range = from; range < rangeCount; range++) {
    const mine = [...(memory.ranges[range] ?? [])].map(([key, { uid, resourceVersion }]) => ({
      key,
      uid,
      resourceVersion,
    }));
    bytes += mine.reduce((sum, entry) => sum + sizeOf(JSON.stringify(entry)) + 1, 0);
    if (bytes > manifestBytes && range > from) break;
    entries.push(...mine);
    to = range;
  }
  return { type: 'Manifest', kind: memory.kind, from, to, resourceVersion, entries };
}
