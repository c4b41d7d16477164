// Shadow mode through the whole path: no pod is evicted, and decisions are compared with the evictions of other controllers.
import { describe, expect, it } from 'vitest';
import type { Modes } from '../../lib/model/ownership.ts';
import { dayOf } from '../../lib/state/shadowRows.ts';
import { readDifferences } from '../support/differences.ts';
import { aPacedRule, aPod, aRule, deleted, nextVersion, upserted } from '../support/objects.ts';
import { type PacedWorld, pacedWorld, start } from '../support/pacedWorld.ts';

const watched: Modes = { native: 'shadow', paced: 'own' };
const differences = async ({ world }: PacedWorld) =>
  (await readDifferences({ table: world.table, cluster: world.cluster }, dayOf(start))).map(
    ({ kind, pod, because }) => [kind, pod.name, ...because.map(({ origin }) => origin.name)],
  );
const counted = ({ world }: PacedWorld) => [
  world.metrics.get('ShadowAgreements') ?? 0,
  world.metrics.get('ShadowDifferences') ?? 0,
];
const ending = { deletionTimestamp: start + 30_000 };
const byInTree = { ...ending, markedBy: 'InTree' } as const;

describe('a native rule in shadow mode', () => {
  it('a native rule in shadow mode agrees with the in-tree controller, and differs if that is late or another client was faster', async () => {
    const it = await pacedWorld({ a: {}, b: {}, c: {} }, {}, () => watched);
    await it.ingest(upserted(aRule('bad', start)));
    await it.run(2);
    await it.ingest(upserted(aPod('a', byInTree)));
    await it.ingest(deleted(aPod('a', byInTree)));
    await it.ingest(deleted(aPod('b', ending)));
    await it.run(200);
    expect(it.gone()).toEqual([]);
    expect(await differences(it)).toEqual([
      ['DeletedByOther', 'b', 'bad'],
      ['NotDeleted', 'c', 'bad'],
    ]);
    expect(counted(it)).toEqual([1, 2]);
  });

  it('a native rule whose message is later than the in-tree eviction agrees with it', async () => {
    const it = await pacedWorld({ a: {} }, {}, () => watched);
    await it.ingest(upserted(aPod('a', byInTree)));
    await it.run(20);
    await it.ingest(upserted(aRule('bad', start)));
    await it.run(200);
    expect(await differences(it)).toEqual([]);
    expect(counted(it)).toEqual([1, 0]);
  });

  it('a native rule in shadow mode differs if the in-tree controller deletes a pod that Sluice would keep', async () => {
    const it = await pacedWorld({ a: {} }, {}, () => watched);
    await it.ingest(upserted(aPod('a', byInTree)));
    await it.ingest(deleted(aPod('a', byInTree)));
    await it.run(200);
    expect(await differences(it)).toEqual([['NotExpected', 'a']]);
    expect(counted(it)).toEqual([0, 1]);
  });

  it('a pod that Sluice evicts for a PacedTaintRule is no difference of a native rule', async () => {
    const it = await pacedWorld({ a: {} }, {}, () => watched);
    await it.ingest(upserted(aRule('bad', start)));
    await it.write(aPacedRule('mine'));
    await it.run(5);
    expect(it.gone()).toEqual(['a']);
    await it.ingest(deleted(aPod('a', ending)));
    await it.run(200);
    expect(await differences(it)).toEqual([]);
    expect(counted(it)).toEqual([0, 0]);
  });

  it('a native rule in shadow mode forgets its decisions when it is switched off', async () => {
    let modes = watched;
    const it = await pacedWorld({ a: {} }, {}, () => modes);
    await it.ingest(upserted(aRule('bad', start)));
    await it.run(2);
    modes = { native: 'off', paced: 'own' };
    await it.run(200);
    expect(await differences(it)).toEqual([]);
    expect(it.gone()).toEqual([]);
  });
});

describe('a PacedTaintRule in shadow mode', () => {
  it('a PacedTaintRule in shadow mode lists each pod that it would have evicted once', async () => {
    const it = await pacedWorld({ a: {}, b: {} }, {}, () => ({ native: 'own', paced: 'shadow' }));
    await it.write(aPacedRule('mine', { deviceSelector: { device: 'a' } }));
    await it.run(200);
    await it.ingest(upserted(aPod('a', { resourceVersion: nextVersion() })));
    await it.run(200);
    expect(await differences(it)).toEqual([['NotDeleted', 'a', 'mine']]);
    expect(it.gone()).toEqual([]);
  });
});
