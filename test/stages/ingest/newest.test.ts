// Which changes of a batch are outdated by newer ones, and that skipping them does not change what is stored.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SingleChange as Change } from '../../../lib/model/change.ts';
import { ingest } from '../../../lib/stages/ingest/ingest.ts';
import { newestOf } from '../../../lib/stages/ingest/newest.ts';
import { aClaim, aHeartbeat, aPod, aRule, aSlice } from '../../support/objects.ts';
import { createWorld } from '../../support/world.ts';

const start = 1_800_000_000_000;
const shown = (object: Extract<Change, { type: 'Upserted' }>['object']): Change => ({
  type: 'Upserted',
  object,
});
const ended = (object: Extract<Change, { type: 'Deleted' }>['object']): Change => ({
  type: 'Deleted',
  object,
});
const same = shown(aPod('same'));
const pod = (resourceVersion: string, more = {}) => aPod('p', { resourceVersion, ...more });

describe('the changes of one batch', () => {
  it.each<[string, readonly Change[], readonly number[]]>([
    ['an older version of a pod is outdated', [shown(pod('9')), shown(pod('10'))], [0]],
    ['older versions of a pod are outdated in any order', [shown(pod('10')), shown(pod('9')), shown(pod('8'))], [1, 2]],
    [
      'an older version of a claim is outdated',
      [shown(aClaim('p', 'd', { resourceVersion: '1' })), ended(aClaim('p', 'd', { resourceVersion: '2' }))],
      [0],
    ],
    ['a deletion outdates the state that it ends', [ended(pod('7')), shown(pod('7'))], [1]],
    ['the first of two changes with the same version is kept', [shown(pod('7')), shown(pod('7'))], [0]],
    ['another pod of the same name is another pod', [shown(pod('7')), shown(pod('8', { uid: 'next' }))], []],
    ['every version of a rule is applied', [shown(aRule('r', start)), shown(aRule('r', start))], []],
    ['every version of a slice is applied', [shown(aSlice('s')), shown(aSlice('s'))], []],
    ['every heartbeat is applied', [aHeartbeat(1), aHeartbeat(2)], []],
    ['a duplicate of a change is outdated', [same, same], [0]],
  ])('only the newest change of each object in a batch is applied: %s', (_, changes, outdated) => {
    const newest = newestOf(changes);
    expect(newest.flatMap((at, i) => (at === i ? [] : [i]))).toEqual(outdated);
    // A change that replaces others is not replaced itself.
    expect(newest.map((at) => newest[at])).toEqual(newest);
  });

  it('pods and claims of a batch are stored as if each change were applied alone, with no extra index rows', async () => {
    const batch = fc.array(
      fc.record({ version: fc.integer({ min: 1, max: 12 }), of: fc.constantFrom('pod', 'claim') }),
      { minLength: 1, maxLength: 8 },
    );
    await fc.assert(
      fc.asyncProperty(batch, fc.boolean(), async (changes, ends) => {
        // A version is one state, and nothing follows a deletion.
        const last = Math.max(...changes.map(({ version }) => version));
        const made = changes.map(({ version, of }): Change => {
          const resourceVersion = String(version).padStart(4, '0');
          const object = of === 'pod' ? aPod('p', { resourceVersion }) : aClaim('p', 'd', { resourceVersion });
          return ends && version === last ? ended(object) : shown(object);
        });
        const stored = async (batches: readonly (readonly Change[])[]) => {
          const world = createWorld({ start });
          for (const one of batches) await ingest(world.deps, world.cluster, one);
          return world.table
            .rows()
            .filter(({ rv }) => rv !== undefined)
            .map(({ pk, sk, rv, gone, object }) => ({
              isObject: object !== undefined,
              // An index row keeps the version that wrote it first.
              text: `${pk.replace(world.cluster, '')} ${sk} ${object === undefined ? '' : rv} ${gone ?? false}`,
            }));
        };
        const [together, alone] = [await stored([made]), await stored(made.map((one) => [one]))];
        const texts = (rows: typeof alone, isObject: boolean) =>
          rows.flatMap((row) => (row.isObject === isObject ? [row.text] : [])).sort();
        expect(texts(together, true)).toEqual(texts(alone, true));
        // A version that arrives after the deletion leaves its index rows behind: they are a superset.
        expect(texts(alone, false)).toEqual(expect.arrayContaining(texts(together, false)));
      }),
      { numRuns: 60 },
    );
  });

  it('a skipped change fails and succeeds together with the change that replaces it', async () => {
    const world = createWorld({ start });
    const refused = {
      ...world.deps,
      table: { ...world.table, write: () => Promise.reject(new Error('throttled')) },
    };
    const other = aHeartbeat(start);
    const results = await ingest(refused, world.cluster, [shown(pod('9')), shown(pod('10'))]);
    expect(results.map(({ kind }) => kind)).toEqual(['Failed', 'Failed']);
    const good = await ingest(world.deps, world.cluster, [other, shown(pod('9')), shown(pod('10'))]);
    expect(good.map(({ kind }) => kind)).toEqual(['Done', 'Done', 'Done']);
  });
});
