// Turns lists and watch events into messages: changed projections, deletions of objects that were sent, manifests.
import { rangeCount, rangeOf } from '../mirror/ranges.ts';
import { isRelevant } from '../mirror/relevant.ts';
import type { Absent, Change, Manifest, ManifestEntry } from '../model/change.ts';
import type { ObjectKind, ObjectProjection } from '../model/projection.ts';
import { sliceKey, taintSliceKey } from '../state/keys.ts';
import { contentOf, emptied, fingerprint, sizeOf, stripped } from './forwardContent.ts';

/** One object from a list or watch; see `Projected` of the Kubernetes adapter. */
export type Shown =
  | { readonly kind: 'Projected'; readonly object: ObjectProjection }
  | { readonly kind: 'Unreadable'; readonly why: string; readonly harmless?: ObjectProjection };

/** The changes to send; `problem`: why the object could not be sent unchanged. */
export interface Forwarded {
  readonly changes: readonly Change[];
  readonly problem?: string;
}

/** What was last sent for an object. */
interface Sent {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly fingerprint: number;
}

/** What was sent of one kind, by range and manifest key. It is lost with the process; then everything is sent again. */
export interface ForwardMemory {
  readonly kind: ObjectKind;
  readonly ranges: readonly Map<string, Sent>[];
  /** During a list: the keys it has contained so far. */
  listed: Set<string> | undefined;
}

/** Far below SQS's 1 MiB limit, so that a batch of manifests fits into few requests. */
const manifestBytes = 60_000;

/** DynamoDB items are limited to 400 KB, and a row holds more than the object. */
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

/** Number of objects that were sent and exist. */
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
 * An object from a list, or from an ADDED or MODIFIED event. The version does not count: equal content is not sent again. An unreadable
 * object is sent as one that can evict no pod, because an older state may be stored.
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

/** A DELETED event. A pod without claims that was never sent is ignored. */
export function forwardDeleted(memory: ForwardMemory, shown: Shown): Forwarded {
  const object = shown.kind === 'Projected' ? shown.object : shown.harmless;
  if (!object) return problemOf(shown);
  const key = manifestKey(object);
  const known = sentOf(memory, key).delete(key);
  if (!known && !isRelevant(object)) return problemOf(shown);
  return forwardObject('Deleted', { shown, object, bytes: sizeOf(JSON.stringify(object)) });
}

/**
 * The answer to a request for one object, from a list of that object. The memory is not changed, because the list may be newer than the
 * watch.
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

/** Ends a list: objects that were sent before and are not in the list were deleted while no watch was open. */
export function endList(memory: ForwardMemory, resourceVersion: string): readonly Absent[] {
  const { kind, listed = new Set() } = memory;
  memory.listed = undefined;
  const gone = memory.ranges.flatMap((sent) => [...sent.keys()].filter((key) => !listed.has(key)));
  for (const key of gone) sentOf(memory, key).delete(key);
  return gone.map((key) => ({ type: 'Absent', kind, key, resourceVersion }));
}

/** The manifest of the ranges from `from` on, as many as fit into a message, at the version that the watch has reached. */
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
