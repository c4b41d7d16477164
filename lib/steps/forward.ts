// What the watcher sends for what a list or watch shows: changed projections only, deletions of what was sent, manifests.
import type { Change, Relisted } from '../model/change.ts';
import type { ObjectKind, ObjectProjection } from '../model/objects.ts';
import type { Instant } from '../model/time.ts';
import { sliceKey } from '../state/keys.ts';

/** What was last sent of each object of one kind, by manifest key. */
export interface Sent {
  readonly uid: string;
  readonly content: string;
}

/** The memory of one kind's watch; it is lost with the process, and then everything is sent again. */
export interface ForwardMemory {
  readonly kind: ObjectKind;
  readonly sent: Map<string, Sent>;
  generation: Instant;
}

/** Keys of one manifest message, so that it stays far below SQS's limit: about 100 bytes each. */
const keysPerManifest = 1500;

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
    case 'DeviceTaintRule':
      return object.name;
    default:
      return object satisfies never;
  }
}

/** Pods that refer to no claim cannot be affected by a device's taint; everything else matters. */
export function isRelevant(object: ObjectProjection): boolean {
  return object.kind !== 'Pod' || object.resourceClaims.length > 0 || object.extendedResourceClaimName !== undefined;
}

/** An object that a list or an ADDED or MODIFIED event shows. Its version does not count: a projection that is the same is not sent. */
export function forwardShown(memory: ForwardMemory, object: ObjectProjection): readonly Change[] {
  if (!isRelevant(object)) return [];
  const key = manifestKey(object);
  const { resourceVersion: _, ...rest } = object;
  const content = JSON.stringify(rest);
  const before = memory.sent.get(key);
  if (before?.uid === object.uid && before.content === content) return [];
  memory.sent.set(key, { uid: object.uid, content });
  return [{ type: 'Upserted', object, generation: memory.generation }];
}

/** A DELETED event; one of an object that was never sent is of no interest. */
export function forwardDeleted(memory: ForwardMemory, object: ObjectProjection): readonly Change[] {
  const known = memory.sent.delete(manifestKey(object));
  return known || isRelevant(object) ? [{ type: 'Deleted', object, generation: memory.generation }] : [];
}

/** Before a list: what it shows belongs to a new generation and is sent in full, for earlier messages may be lost. */
export function beginList(memory: ForwardMemory, now: Instant): void {
  memory.generation = Math.max(now, memory.generation + 1);
  memory.sent.clear();
}

/** After a list: all keys it showed, in ranges that together cover every possible key. */
export function endList(memory: ForwardMemory, resourceVersion: string): readonly Relisted[] {
  const keys = [...memory.sent].map(([key, { uid }]) => ({ key, uid })).sort((a, b) => (a.key < b.key ? -1 : 1));
  const ranges = Math.max(1, Math.ceil(keys.length / keysPerManifest));
  return Array.from({ length: ranges }, (_, i) => {
    const part = keys.slice(i * keysPerManifest, (i + 1) * keysPerManifest);
    const [from, to] = [keys[i * keysPerManifest]?.key, keys[(i + 1) * keysPerManifest]?.key];
    return {
      type: 'Relisted',
      kind: memory.kind,
      generation: memory.generation,
      resourceVersion,
      ...(i > 0 && from !== undefined ? { from } : {}),
      ...(i < ranges - 1 && to !== undefined ? { to } : {}),
      keys: part,
    };
  });
}
