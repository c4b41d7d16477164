// What the watcher sends for what a list or watch shows: changed projections only, deletions of what was sent, manifests.
import type { Change, Relisted } from '../model/change.ts';
import type { ObjectKind, ObjectProjection } from '../model/projection.ts';
import type { Instant } from '../model/time.ts';
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
  readonly fingerprint: number;
}

/** The memory of one kind's watch, by manifest key; it is lost with the process, and then everything is sent again. */
export interface ForwardMemory {
  readonly kind: ObjectKind;
  readonly sent: Map<string, Sent>;
  generation: Instant;
}

/** A manifest message stays far below SQS's 1 MiB, so that a batch of them fits into few requests. */
const manifestBytes = 180_000;

/** Beyond this a message would not fit into SQS (1 MiB with its envelope). */
const objectBytes = 1_000_000;

/** A row of the table holds 400 KB (DynamoDB, item size); a slice's row has more in it than the slice. */
const sliceBytes = 350_000;

const nothing: Forwarded = { changes: [] };

export function createForwardMemory(kind: ObjectKind): ForwardMemory {
  return { kind, sent: new Map(), generation: 0 };
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

/** Pods that refer to no claim cannot be affected by a device's taint, rules that Sluice wrote itself are no input, and namespaces say nothing without a label. */
export function isRelevant(object: ObjectProjection): boolean {
  if (object.kind === 'DeviceTaintRule') return object.projectedFrom === undefined;
  if (object.kind === 'Namespace') return object.labels !== undefined;
  return object.kind !== 'Pod' || object.resourceClaims.length > 0 || object.extendedResourceClaimName !== undefined;
}

/**
 * An object in a list, or in an ADDED or MODIFIED event. Its version does not count: the same content is not sent again. An
 * unreadable object is sent as one that can evict nobody, because an older state of it may be stored.
 */
export function forwardShown(memory: ForwardMemory, shown: Shown): Forwarded {
  const object = shown.kind === 'Projected' ? shown.object : shown.harmless;
  if (!object) return problemOf(shown);
  const key = manifestKey(object);
  const before = memory.sent.get(key);
  if (!isRelevant(object) && before === undefined) return problemOf(shown);
  const text = JSON.stringify(contentOf(object));
  const now: Sent = { uid: object.uid, fingerprint: fingerprint(text) };
  if (before?.uid === now.uid && before.fingerprint === now.fingerprint) return nothing;
  memory.sent.set(key, now);
  return forwardObject(memory, 'Upserted', { shown, object, bytes: sizeOf(text) });
}

/** A DELETED event; one of a pod without claims that was never sent is of no interest. */
export function forwardDeleted(memory: ForwardMemory, shown: Shown): Forwarded {
  const object = shown.kind === 'Projected' ? shown.object : shown.harmless;
  if (!object) return problemOf(shown);
  const known = memory.sent.delete(manifestKey(object));
  if (!known && !isRelevant(object)) return problemOf(shown);
  return forwardObject(memory, 'Deleted', { shown, object, bytes: sizeOf(JSON.stringify(object)) });
}

function forwardObject(
  { generation }: ForwardMemory,
  type: 'Upserted' | 'Deleted',
  what: { readonly shown: Shown; readonly object: ObjectProjection; readonly bytes: number },
): Forwarded {
  const { shown, object, bytes } = what;
  if (object.kind === 'ResourceSlice' && bytes > sliceBytes) {
    const lean = stripped(object);
    const left = sizeOf(JSON.stringify(lean));
    const problem = `ResourceSlice ${manifestKey(object)} is too large to keep its attributes: rules that read them do not act on its devices`;
    if (left <= sliceBytes) return { changes: [{ type, object: lean, generation }], problem };
  }
  if (bytes <= objectBytes) return { ...problemOf(shown), changes: [{ type, object, generation }] };
  const key = manifestKey(object);
  const problem = `${object.kind} ${key} is larger than a message may be; it is sent as if it were empty and evicts no pod`;
  return { changes: [{ type, object: emptied(object), generation }], problem };
}

function problemOf(shown: Shown): Forwarded {
  return shown.kind === 'Unreadable' ? { changes: [], problem: shown.why } : nothing;
}

/**
 * Before a list: what it shows belongs to a new generation and is sent in full. Messages of an older generation that are
 * still under way would otherwise be taken back by the manifest's watermark (protocol 8).
 */
export function beginList(memory: ForwardMemory, now: Instant): void {
  memory.generation = Math.max(now, memory.generation + 1);
  memory.sent.clear();
}

/** After a list: all keys it showed, in ranges that together cover every possible key. */
export function endList(memory: ForwardMemory, resourceVersion: string): readonly Relisted[] {
  const keys = [...memory.sent].map(([key, { uid }]) => ({ key, uid })).sort((a, b) => (a.key < b.key ? -1 : 1));
  const ranges = rangesOf(keys);
  return ranges.map((range, i): Relisted => {
    const [from, to] = [range[0]?.key, ranges[i + 1]?.[0]?.key];
    return {
      type: 'Relisted',
      kind: memory.kind,
      generation: memory.generation,
      resourceVersion,
      ...(i > 0 && from !== undefined ? { from } : {}),
      ...(to === undefined ? {} : { to }),
      keys: range,
    };
  });
}

type ManifestKey = Relisted['keys'][number];

/** At least one range, an empty one too: it says that there is nothing. */
function rangesOf(keys: readonly ManifestKey[]): readonly (readonly ManifestKey[])[] {
  const ranges: ManifestKey[][] = [[]];
  let bytes = 0;
  for (const entry of keys) {
    const size = sizeOf(JSON.stringify(entry)) + 1;
    if (bytes + size > manifestBytes && bytes > 0) {
      ranges.push([]);
      bytes = 0;
    }
    ranges.at(-1)?.push(entry);
    bytes += size;
  }
  return ranges;
}
