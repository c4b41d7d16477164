// Laws of the simulated cluster's store: history and snapshots agree, and a lost history is always reported.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../lib/local/cluster/object.ts';
import { builtInResources, type ResourceType } from '../../lib/local/cluster/resources.ts';
import { createStore, keyOf, type Store, type StoreChange } from '../../lib/local/cluster/store.ts';

const [pods, nodes] = builtInResources as readonly [ResourceType, ResourceType];

interface Step {
  readonly name: string;
  readonly remove: boolean;
  readonly onNodes: boolean;
}

const steps = fc.array(
  fc.record({ name: fc.constantFrom('a', 'b', 'c', 'd'), remove: fc.boolean(), onNodes: fc.boolean() }),
  { maxLength: 40 },
);

function object(name: string): KubeObject {
  const metadata = { name, uid: name, resourceVersion: '', creationTimestamp: '2026-01-01T00:00:00Z' };
  return { apiVersion: 'v1', kind: 'X', metadata };
}

function play(store: Store, { name, remove, onNodes }: Step): void {
  const resource = onNodes ? nodes : pods;
  const present = store.get(resource, name);
  if (!remove) store.put(resource, object(name));
  else if (present) store.remove(resource, present);
}

function replay(before: readonly KubeObject[], changes: readonly StoreChange[]): readonly KubeObject[] {
  const objects = new Map(before.map((each) => [keyOf(each), each]));
  for (const change of changes) {
    if (change.type === 'DELETED') objects.delete(keyOf(change.object));
    else objects.set(keyOf(change.object), change.object);
  }
  return [...objects.values()].toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

describe('the store', () => {
  it('replaying the changes since any version gives the current objects', () => {
    fc.assert(
      fc.property(steps, (played) => {
        const store = createStore();
        const versions = [store.version()];
        for (const step of played) {
          play(store, step);
          versions.push(store.version());
        }
        for (const version of versions) {
          const before = store.listAt(pods, version) ?? [];
          expect(replay(before, store.changesSince(pods, version) ?? [])).toEqual(store.list(pods));
        }
      }),
    );
  });

  it('a list at a version is what the store listed at that time', () => {
    fc.assert(
      fc.property(steps, (played) => {
        const store = createStore();
        const shown = played.map((step) => {
          play(store, step);
          return { version: store.version(), list: store.list(pods) };
        });
        for (const { version, list } of shown) expect(store.listAt(pods, version)).toEqual(list);
      }),
    );
  });

  it('a bounded store knows every change since a version or says that it does not', () => {
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 8 }), (played, historyLimit) => {
        const [whole, bounded] = [createStore(), createStore({ historyLimit })];
        for (const step of played) {
          play(whole, step);
          play(bounded, step);
        }
        for (let version = 1; version <= whole.version(); version += 1) {
          const known = bounded.changesSince(pods, version);
          if (known) expect(known).toEqual(whole.changesSince(pods, version));
          else expect(bounded.listAt(pods, version)).toBeUndefined();
        }
      }),
    );
  });

  it('every change, of whatever resource, has its own version', () => {
    fc.assert(
      fc.property(steps, (played) => {
        const store = createStore();
        const seen: number[] = [];
        store.subscribe((change) => seen.push(change.version));
        for (const step of played) play(store, step);
        expect(seen).toEqual(seen.map((_, index) => index + 2));
      }),
    );
  });
});
