// What the watcher sends: each change of content once, each deletion of what was sent, and after a list every key it showed.
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Change, Relisted } from '../../lib/model/change.ts';
import type { Pod } from '../../lib/model/objects.ts';
import type { ObjectProjection } from '../../lib/model/projection.ts';
import {
  beginList,
  createForwardMemory,
  endList,
  type ForwardMemory,
  forwardDeleted,
  forwardShown,
} from '../../lib/steps/forward.ts';
import { emptied } from '../../lib/steps/forwardContent.ts';
import { aClaim, aNamespace, aPod, aRule, aSlice, aTaintSlice, nextVersion } from '../support/objects.ts';

const start = Date.UTC(2026, 0, 1);
let memory: ForwardMemory;
beforeEach(() => {
  memory = createForwardMemory('Pod');
  beginList(memory, start);
});

const shown = (object: ObjectProjection) => forwardShown(memory, { kind: 'Projected', object }).changes;
const deleted = (object: ObjectProjection) => forwardDeleted(memory, { kind: 'Projected', object }).changes;
const again = <T extends ObjectProjection>(object: T): T => ({ ...object, resourceVersion: nextVersion() });
const withoutClaims = (name: string) => aPod(name, { resourceClaims: [] });

describe('an object that is shown', () => {
  it('is sent with the generation of the list', () => {
    const pod = aPod('a');
    expect(shown(pod)).toEqual([{ type: 'Upserted', object: pod, generation: start }]);
  });

  it('is not sent again while its content is the same, whatever its version', () => {
    const pod = aPod('a');
    shown(pod);
    expect(shown(again(pod))).toEqual([]);
  });

  it.each<[string, Partial<Pod>]>([
    ['a node', { nodeName: 'node-2' }],
    ['a deletion that began', { deletionTimestamp: start }],
    ['a claim that was generated', { resourceClaimStatuses: [{ name: 'gpu', resourceClaimName: 'x' }] }],
    ['another UID under the same name', { uid: 'other' }],
  ])('is sent again with %s', (_, change) => {
    const pod = aPod('a');
    shown(pod);
    const next = { ...again(pod), ...change };
    expect(shown(next)).toEqual([{ type: 'Upserted', object: next, generation: start }]);
  });

  it.each([
    ['a ResourceSlice', aSlice('s', { devices: [{ name: 'a' }] })],
    ['a DeviceTaintSlice', aTaintSlice('s')],
  ])('is not sent again for its author alone where it is %s, whose writers write what is not kept', (_, slice) => {
    const by = (manager: string, more: object = {}) => ({
      ...again(slice),
      ...more,
      author: { manager, operation: 'x' },
    });
    shown(by('a'));
    expect(shown(by('b'))).toEqual([]);
    const changed = by('c', { driver: 'other.example.com' });
    expect(shown(changed)).toEqual([{ type: 'Upserted', object: changed, generation: start }]);
  });

  it('is sent again for its author alone where it is a rule', () => {
    const by = (manager: string) => ({ ...aRule('r', start), author: { manager, operation: 'x' } });
    shown(by('a'));
    expect(shown(by('b'))).toHaveLength(1);
  });

  it('is sent again when it comes back after it was deleted', () => {
    const pod = aPod('a');
    shown(pod);
    deleted(pod);
    expect(shown(again(pod))).toHaveLength(1);
  });

  it.each([
    ['a claim', aClaim('a', 'gpu-0')],
    ['a slice', aSlice('s')],
    ['a rule', aRule('r', 0)],
  ])('matters always: %s', (_, object) => {
    expect(shown(object)).toHaveLength(1);
  });
});

describe('a pod without claims', () => {
  it('is not sent, nor is its end', () => {
    expect(shown(withoutClaims('a'))).toEqual([]);
    expect(deleted(withoutClaims('a'))).toEqual([]);
  });

  it('that uses an extended resource is sent', () => {
    expect(shown({ ...withoutClaims('a'), extendedResourceClaimName: 'x' })).toHaveLength(1);
  });

  it('that was sent before is sent once more, and so is its end', () => {
    shown({ ...withoutClaims('a'), extendedResourceClaimName: 'x' });
    expect(shown(withoutClaims('a'))).toHaveLength(1);
    expect(shown(withoutClaims('a'))).toEqual([]);
    expect(deleted(withoutClaims('a'))).toHaveLength(1);
  });
});

describe('a namespace', () => {
  it('that says nothing about its pods is not sent, one that does is, and once more when it says no more', () => {
    const labels = { 'sluice.dev/eviction-mode': 'Skip' };
    const said = aNamespace('n', { labels });
    const silent = aNamespace('n');
    expect(shown(aNamespace('n'))).toEqual([]);
    expect(deleted(aNamespace('n'))).toEqual([]);
    expect(shown(said)).toEqual([{ type: 'Upserted', object: said, generation: start }]);
    expect(shown(silent)).toEqual([{ type: 'Upserted', object: silent, generation: start }]);
    expect(deleted(said)).toMatchObject([{ type: 'Deleted' }]);
  });

  it('too large to be sent keeps its pods', () => {
    const labels = { 'sluice.dev/x': 'x' };
    expect(emptied(aNamespace('n', { labels }))).toMatchObject({
      labels: { 'sluice.dev/eviction-mode': 'it is larger than a message may be' },
    });
  });
});

describe('a deletion', () => {
  it('carries the last state, for its rows are found by it', () => {
    const pod = aPod('a');
    shown(pod);
    expect(deleted(pod)).toEqual([{ type: 'Deleted', object: pod, generation: start }]);
  });

  it('of a pod with claims is sent even if this process has never sent the pod', () => {
    expect(deleted(aPod('a'))).toHaveLength(1);
  });
});

describe('an object that cannot be read', () => {
  const unreadable = (harmless?: ObjectProjection) =>
    ({ kind: 'Unreadable', why: 'it is broken', ...(harmless ? { harmless } : {}) }) as const;

  it('is sent as one that evicts nobody, once, and named', () => {
    const harmless = emptied(aClaim('a', 'gpu-0'));
    expect(forwardShown(memory, unreadable(harmless))).toEqual({
      changes: [{ type: 'Upserted', object: harmless, generation: start }],
      problem: 'it is broken',
    });
    expect(forwardShown(memory, unreadable(again(harmless))).changes).toEqual([]);
  });

  it('is only named where nothing is known of it', () => {
    expect(forwardShown(memory, unreadable())).toEqual({ changes: [], problem: 'it is broken' });
    expect(forwardDeleted(memory, unreadable())).toEqual({ changes: [], problem: 'it is broken' });
  });

  it('is sent in full again when it is repaired', () => {
    const claim = aClaim('a', 'gpu-0');
    forwardShown(memory, unreadable(emptied(claim)));
    expect(shown(claim)).toHaveLength(1);
  });
});

describe('an object that no message can hold', () => {
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
    ['a rule', aRule('r', 0, { annotations: { 'sluice.dev/x': 'x'.repeat(1_000_001) } })],
  ])('is sent as if it were empty, and named: %s', (_, object) => {
    const { changes, problem } = forwardShown(memory, { kind: 'Projected', object });
    expect(problem).toContain('larger than a message may be');
    expect(changes).toEqual([{ type: 'Upserted', object: emptied(object), generation: start }]);
    expect(JSON.stringify(changes)).not.toContain('NoExecute');
  });

  it('is a slice without its attributes where those alone are too much: its taints act, and selectors have never seen its devices', () => {
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

describe('a list', () => {
  it('sends everything again under its own generation, for messages of older ones may be taken back', () => {
    const pod = aPod('a');
    shown(pod);
    beginList(memory, start + 5000);
    expect(shown(pod)).toEqual([{ type: 'Upserted', object: pod, generation: start + 5000 }]);
  });

  it('has a generation that grows even if the clock does not', () => {
    beginList(memory, start - 60_000);
    expect(memory.generation).toBe(start + 1);
  });

  it('ends in a manifest of its keys, sorted, with UIDs', () => {
    for (const name of ['b', 'a', 'c']) shown(aPod(name));
    shown(withoutClaims('d'));
    expect(endList(memory, '77')).toEqual([
      {
        type: 'Relisted',
        kind: 'Pod',
        generation: start,
        resourceVersion: '77',
        keys: ['a', 'b', 'c'].map((name) => ({ key: `default/${name}`, uid: `uid-${name}` })),
      },
    ]);
  });

  it('of nothing says that there is nothing', () => {
    expect(endList(memory, '77')).toMatchObject([{ type: 'Relisted', keys: [] }]);
  });

  it.each([
    ['ResourceSlice', aSlice('s', { driver: 'd', pool: { name: 'rack/1', generation: 2 } }), 'd|rack/1|s'],
    ['ResourceClaim', aClaim('a', 'g'), 'default/claim-a'],
    ['DeviceTaintRule', aRule('r', 0), 'r'],
  ] as const)('keys are those of the table: %s', (kind, object, key) => {
    memory = createForwardMemory(kind);
    beginList(memory, start);
    shown(object);
    expect(endList(memory, '77')[0]?.keys).toEqual([{ key, uid: object.uid }]);
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

/** What was sent of a history, and the pods that exist at its end. */
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

describe('laws', () => {
  const happening = fc.record<Happening>({
    name: fc.constantFrom('a', 'b', 'c'),
    type: fc.constantFrom('Shown', 'Deleted'),
    node: fc.constantFrom('node-1', 'node-2'),
    uid: fc.constantFrom('1', '2'),
    hasClaim: fc.boolean(),
  });

  it('who takes every message knows every pod with a claim as it is, and none that is gone', () => {
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

  it('the ranges of a manifest cover every possible key once, hold all keys, and stay below 200 KB', () => {
    const key = fc.string({ minLength: 1, maxLength: 250 });
    fc.assert(
      fc.property(
        fc.uniqueArray(key, { maxLength: 60 }),
        fc.integer({ min: 1, max: 40 }),
        key,
        (keys, times, probe) => {
          memory = createForwardMemory('Pod');
          beginList(memory, start);
          for (let i = 0; i < times; i++) for (const one of keys) shown(aPod(`${one}${'x'.repeat(80)}-${i}`));
          const ranges = endList(memory, '5');
          expect(ranges.flatMap((range) => range.keys)).toHaveLength(keys.length * times);
          expect(ranges.filter((range) => covers(range, probe))).toHaveLength(1);
          for (const range of ranges) {
            expect(Buffer.byteLength(JSON.stringify(range))).toBeLessThan(200_000);
            expect(range.keys.every((one) => covers(range, one.key))).toBe(true);
          }
        },
      ),
      { numRuns: 30 },
    );
  });
});

function covers(range: Relisted, key: string): boolean {
  return (range.from === undefined || key >= range.from) && (range.to === undefined || key < range.to);
}
