// What the watcher sends: each change of content once, each deletion of a sent object, and manifests of all keys.
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { rangeOf } from '../../lib/mirror/ranges.ts';
import type { Change, Manifest } from '../../lib/model/change.ts';
import type { Pod } from '../../lib/model/objects.ts';
import type { ObjectProjection } from '../../lib/model/projection.ts';
import {
  beginList,
  createForwardMemory,
  endList,
  type ForwardMemory,
  forwardDeleted,
  forwardRequested,
  forwardShown,
  manifestFrom,
} from '../../lib/watcher/forward.ts';
import { emptied } from '../../lib/watcher/forwardContent.ts';
import { aClaim, aNamespace, aPod, aRule, aSlice, aTaintSlice, nextVersion } from '../support/objects.ts';

const start = Date.UTC(2026, 0, 1);
let memory: ForwardMemory;
beforeEach(() => {
  memory = createForwardMemory('Pod');
});

const shown = (object: ObjectProjection) => forwardShown(memory, { kind: 'Projected', object }).changes;
const deleted = (object: ObjectProjection) => forwardDeleted(memory, { kind: 'Projected', object }).changes;
const again = <T extends ObjectProjection>(object: T): T => ({ ...object, resourceVersion: nextVersion() });
const withoutClaims = (name: string) => aPod(name, { resourceClaims: [] });

describe('an object in a list or watch event', () => {
  it('an object that is new to the watcher is sent unchanged', () => {
    const pod = aPod('a');
    expect(shown(pod)).toEqual([{ type: 'Upserted', object: pod }]);
  });

  it('an object is not sent again while its content is unchanged, whatever its version', () => {
    const pod = aPod('a');
    shown(pod);
    expect(shown(again(pod))).toEqual([]);
  });

  it.each<[string, Partial<Pod>]>([
    ['another node', { nodeName: 'node-2' }],
    ['a deletionTimestamp', { deletionTimestamp: start }],
    ['a generated claim', { resourceClaimStatuses: [{ name: 'gpu', resourceClaimName: 'x' }] }],
    ['another UID under the same name', { uid: 'other' }],
  ])('a pod is sent again with %s', (_, change) => {
    const pod = aPod('a');
    shown(pod);
    const next = { ...again(pod), ...change };
    expect(shown(next)).toEqual([{ type: 'Upserted', object: next }]);
  });

  it.each([
    ['a ResourceSlice', aSlice('s', { devices: [{ name: 'a' }] })],
    ['a DeviceTaintSlice', aTaintSlice('s')],
  ])('%s is sent again for new content, and not when only its author changes', (_, slice) => {
    const by = (manager: string, more: object = {}) => ({
      ...again(slice),
      ...more,
      author: { manager, operation: 'x' },
    });
    shown(by('a'));
    expect(shown(by('b'))).toEqual([]);
    const changed = by('c', { driver: 'other.example.com' });
    expect(shown(changed)).toEqual([{ type: 'Upserted', object: changed }]);
  });

  it('a rule is sent again when only its author changes', () => {
    const by = (manager: string) => ({ ...aRule('r', start), author: { manager, operation: 'x' } });
    shown(by('a'));
    expect(shown(by('b'))).toHaveLength(1);
  });

  it('a pod is sent again when it is shown after its deletion', () => {
    const pod = aPod('a');
    shown(pod);
    deleted(pod);
    expect(shown(again(pod))).toHaveLength(1);
  });

  it.each([
    ['a claim', aClaim('a', 'gpu-0')],
    ['a slice', aSlice('s')],
    ['a rule', aRule('r', 0)],
  ])('an object of a kind that always matters is sent: %s', (_, object) => {
    expect(shown(object)).toHaveLength(1);
  });
});

describe('pods without claims', () => {
  it('a pod without claims is not sent, nor is its deletion', () => {
    expect(shown(withoutClaims('a'))).toEqual([]);
    expect(deleted(withoutClaims('a'))).toEqual([]);
  });

  it('a pod without claims that uses an extended resource is sent', () => {
    expect(shown({ ...withoutClaims('a'), extendedResourceClaimName: 'x' })).toHaveLength(1);
  });

  it('a pod that no longer uses an extended resource is sent once more, and so is its deletion', () => {
    shown({ ...withoutClaims('a'), extendedResourceClaimName: 'x' });
    expect(shown(withoutClaims('a'))).toHaveLength(1);
    expect(shown(withoutClaims('a'))).toEqual([]);
    expect(deleted(withoutClaims('a'))).toHaveLength(1);
  });
});

describe('namespaces', () => {
  it('a namespace is sent with its Sluice labels, and once more when it has none; one that never had any is not sent', () => {
    const labels = { 'sluice.dev/eviction-mode': 'Skip' };
    const said = aNamespace('n', { labels });
    const silent = aNamespace('n');
    expect(shown(aNamespace('n'))).toEqual([]);
    expect(deleted(aNamespace('n'))).toEqual([]);
    expect(shown(said)).toEqual([{ type: 'Upserted', object: said }]);
    expect(shown(silent)).toEqual([{ type: 'Upserted', object: silent }]);
    expect(deleted(said)).toMatchObject([{ type: 'Deleted' }]);
  });

  it('a namespace too large for a message keeps its pods', () => {
    const labels = { 'sluice.dev/x': 'x' };
    expect(emptied(aNamespace('n', { labels }))).toMatchObject({
      annotations: { 'pause.sluice.dev/unread': 'it is too large to be kept' },
    });
  });
});

describe('deletions', () => {
  it('a deletion carries the last state of its object, by which the rows are found', () => {
    const pod = aPod('a');
    shown(pod);
    expect(deleted(pod)).toEqual([{ type: 'Deleted', object: pod }]);
  });

  it('the deletion of a pod with claims is sent even if this process never sent the pod', () => {
    expect(deleted(aPod('a'))).toHaveLength(1);
  });
});

describe('unreadable objects', () => {
  const unreadable = (harmless?: ObjectProjection) =>
    ({ kind: 'Unreadable', why: 'it is broken', ...(harmless ? { harmless } : {}) }) as const;

  it('an unreadable object is sent once as a placeholder that evicts no pod, and reported', () => {
    const harmless = emptied(aClaim('a', 'gpu-0'));
    expect(forwardShown(memory, unreadable(harmless))).toEqual({
      changes: [{ type: 'Upserted', object: harmless }],
      problem: 'it is broken',
    });
    expect(forwardShown(memory, unreadable(again(harmless))).changes).toEqual([]);
  });

  it('an unreadable object without a placeholder is only reported', () => {
    expect(forwardShown(memory, unreadable())).toEqual({ changes: [], problem: 'it is broken' });
    expect(forwardDeleted(memory, unreadable())).toEqual({ changes: [], problem: 'it is broken' });
  });

  it('an object that becomes readable again is sent in full', () => {
    const claim = aClaim('a', 'gpu-0');
    forwardShown(memory, unreadable(emptied(claim)));
    expect(shown(claim)).toHaveLength(1);
  });
});

describe('oversized objects', () => {
  const devices = Array.from({ length: 128 }, (_, i) => ({
    name: `gpu-${i}`,
    taints: [{ key: 'k'.repeat(9000), effect: 'NoExecute' }],
  }));

  it.each([
    ['a slice', aSlice('s', { devices })],
    [
      'a claim',
      aClaim('a', 'gpu-0', {
        reservedFor: Array.from({ length: 20_000 }, (_, i) => ({
          resource: 'pods',
          name: `pod-${i}`,
          uid: `uid-${i}-${'x'.repeat(20)}`,
        })),
      }),
    ],
    [
      'a pod',
      aPod('a', {
        resourceClaims: Array.from({ length: 30_000 }, (_, i) => ({
          name: `claim-${i}`,
          resourceClaimName: `name-${i}`,
        })),
      }),
    ],
    ['a rule', aRule('r', 0, { annotations: { 'sluice.dev/x': 'x'.repeat(350_001) } })],
  ])('an object too large for a message is sent as an empty placeholder and reported: %s', (_, object) => {
    const { changes, problem } = forwardShown(memory, { kind: 'Projected', object });
    expect(problem).toContain('larger than 350 KB and is refused');
    expect(changes).toEqual([{ type: 'Upserted', object: emptied(object), refused: true }]);
    expect(JSON.stringify(changes)).not.toContain('NoExecute');
  });

  it('a slice whose attributes are too large is sent with its taints, without attributes, and reported', () => {
    const taints = [{ key: 'k', effect: 'NoExecute', timeAdded: 0 }];
    const attributes = { serial: { string: 'x'.repeat(4000) } };
    const devices = Array.from({ length: 100 }, (_, i) => ({
      name: `gpu-${i}`,
      attributes,
      ...(i === 0 ? { taints } : {}),
    }));
    const memory = createForwardMemory('ResourceSlice');
    const { changes, problem } = forwardShown(memory, { kind: 'Projected', object: aSlice('s', { devices }) });
    expect(problem).toContain('ResourceSlice gpu.example.com|node-1|s is too large to keep its attributes');
    expect(changes).toMatchObject([{ type: 'Upserted', object: { name: 's' } }]);
    const [change] = changes;
    const sent = change?.type === 'Upserted' && change.object.kind === 'ResourceSlice' ? change.object.devices : [];
    expect(sent).toHaveLength(100);
    expect(sent.slice(0, 2)).toEqual([
      { name: 'gpu-0', taints, isStripped: true },
      { name: 'gpu-1', isStripped: true },
    ]);
  });
});

describe('lists', () => {
  it('a list does not send an object with unchanged content again', () => {
    const pod = aPod('a');
    shown(pod);
    beginList(memory);
    expect(shown(again(pod))).toEqual([]);
    expect(endList(memory, '77')).toEqual([]);
  });

  it('a list reports every sent object that it lacks as absent, once and at its own version', () => {
    for (const name of ['a', 'b']) shown(aPod(name));
    beginList(memory);
    shown(aPod('b'));
    expect(endList(memory, '77')).toEqual([{ type: 'Absent', kind: 'Pod', key: 'default/a', resourceVersion: '77' }]);
    beginList(memory);
    shown(aPod('b'));
    expect(endList(memory, '78')).toEqual([]);
  });
});

/** All manifests of one round. */
function aRound(resourceVersion: string): readonly Manifest[] {
  const manifests: Manifest[] = [];
  for (let from = 0; from < 256; from = (manifests.at(-1)?.to ?? 255) + 1)
    manifests.push(manifestFrom(memory, { from, resourceVersion }));
  return manifests;
}

describe('manifests', () => {
  it('a manifest of a small kind is one message over all ranges, with key, UID and the version that was sent', () => {
    const pod = aPod('a');
    shown(pod);
    shown(again(pod));
    shown(withoutClaims('d'));
    const { uid, resourceVersion } = pod;
    expect(aRound('77')).toEqual([
      {
        type: 'Manifest',
        kind: 'Pod',
        from: 0,
        to: 255,
        resourceVersion: '77',
        entries: [{ key: 'default/a', uid, resourceVersion }],
      },
    ]);
  });

  it('a manifest of a kind without objects has no entries', () => {
    expect(aRound('77')).toMatchObject([{ from: 0, to: 255, entries: [] }]);
  });

  it.each([
    ['ResourceSlice', aSlice('s', { driver: 'd', pool: { name: 'rack/1', generation: 2 } }), 'd|rack/1|s'],
    ['ResourceClaim', aClaim('a', 'g'), 'default/claim-a'],
    ['DeviceTaintRule', aRule('r', 0), 'r'],
  ] as const)('keys in a manifest are those of the table: %s', (kind, object, key) => {
    memory = createForwardMemory(kind);
    shown(object);
    const { uid, resourceVersion } = object;
    expect(aRound('77')[0]?.entries).toEqual([{ key, uid, resourceVersion }]);
  });
});

describe('answers to requests', () => {
  const asked = (object: ObjectProjection | undefined, key: string) =>
    forwardRequested(memory, {
      key,
      shown: object && { kind: 'Projected', object },
      resourceVersion: '90',
    }).changes;
  const absent = (key: string) => [{ type: 'Absent', kind: 'Pod', key, resourceVersion: '90' }];

  it('a requested object is sent even if its content was sent before', () => {
    const pod = aPod('a');
    shown(pod);
    expect(asked(pod, 'default/a')).toEqual([{ type: 'Upserted', object: pod }]);
  });

  it('a requested object is absent at the version of the list when no relevant object has its key', () => {
    expect(asked(undefined, 'default/a')).toEqual(absent('default/a'));
    expect(asked(withoutClaims('a'), 'default/a')).toEqual(absent('default/a'));
    expect(asked(aPod('other'), 'default/a')).toEqual(absent('default/a'));
  });

  it('an answer to a request does not change manifests, because its list may be ahead of the watch', () => {
    const pod = aPod('a');
    shown(pod);
    asked({ ...again(pod), nodeName: 'node-9' }, 'default/a');
    expect(aRound('77')[0]?.entries).toMatchObject([{ resourceVersion: pod.resourceVersion }]);
    asked(undefined, 'default/a');
    expect(aRound('77')[0]?.entries).toHaveLength(1);
  });
});

const contentOf = (object: ObjectProjection) => JSON.stringify({ ...object, resourceVersion: '' });

/** What a table that takes every message would hold, by name. */
function tableAfter(changes: readonly Change[]): Map<string, string> {
  const rows = new Map<string, string>();
  for (const change of changes) {
    if (change.type === 'Upserted') rows.set(change.object.name, contentOf(change.object));
    if (change.type === 'Deleted') rows.delete(change.object.name);
  }
  return rows;
}

interface Happening {
  readonly name: string;
  readonly type: 'Shown' | 'Deleted';
  readonly node: string;
  readonly uid: string;
  readonly hasClaim: boolean;
}

/** The changes that are sent during a history, and the pods that exist at its end. */
function afterHistory(history: readonly Happening[]): { sent: readonly Change[]; truth: ReadonlyMap<string, Pod> } {
  memory = createForwardMemory('Pod');
  const truth = new Map<string, Pod>();
  const sent = history.flatMap(({ name, type, node, uid, hasClaim }) => {
    const pod = aPod(name, { nodeName: node, uid, ...(hasClaim ? {} : { resourceClaims: [] }) });
    if (type === 'Shown') truth.set(name, pod);
    else truth.delete(name);
    return type === 'Shown' ? shown(pod) : deleted(pod);
  });
  return { sent, truth };
}

describe('any history', () => {
  const happening = fc.record<Happening>({
    name: fc.constantFrom('a', 'b', 'c'),
    type: fc.constantFrom('Shown', 'Deleted'),
    node: fc.constantFrom('node-1', 'node-2'),
    uid: fc.constantFrom('1', '2'),
    hasClaim: fc.boolean(),
  });

  it('a reader of every message knows every pod with a claim as it is, and no pod that is gone', () => {
    fc.assert(
      fc.property(fc.array(happening, { maxLength: 40 }), (history) => {
        const { sent, truth } = afterHistory(history);
        const rows = tableAfter(sent);
        const relevant = [...truth.values()].filter((pod) => pod.resourceClaims.length > 0);
        expect(relevant.map((pod) => rows.get(pod.name))).toEqual(relevant.map(contentOf));
        expect([...rows.keys()].filter((name) => !truth.has(name))).toEqual([]);
      }),
    );
  });

  it('the manifests of a round cover every range once, hold all keys, and stay below 100 KB', () => {
    const key = fc.string({ minLength: 1, maxLength: 250 });
    fc.assert(
      fc.property(fc.uniqueArray(key, { maxLength: 60 }), fc.integer({ min: 1, max: 40 }), (keys, times) => {
        memory = createForwardMemory('Pod');
        for (let i = 0; i < times; i++) for (const one of keys) shown(aPod(`${one}${'x'.repeat(80)}-${i}`));
        const round = aRound('5');
        expect(round.flatMap(({ entries }) => entries)).toHaveLength(keys.length * times);
        expect(round.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, i) => from + i))).toEqual(
          Array.from({ length: 256 }, (_, i) => i),
        );
        for (const { from, to, entries } of round) {
          expect(Buffer.byteLength(JSON.stringify(entries))).toBeLessThan(100_000);
          expect(entries.every((one) => rangeOf(one.key) >= from && rangeOf(one.key) <= to)).toBe(true);
        }
      }),
      { numRuns: 30 },
    );
  });
});
