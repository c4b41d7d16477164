// Shadow mode through the whole path: no pod is evicted, and what happens otherwise is compared.
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

describe('a watched native rule', () => {
  it('agrees with the in-tree controller pod by pod, and differs where that is late or another was faster', async () => {
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

  it('does not differ where its message is later than the other controller', async () => {
    const it = await pacedWorld({ a: {} }, {}, () => watched);
    await it.ingest(upserted(aPod('a', byInTree)));
    await it.run(20);
    await it.ingest(upserted(aRule('bad', start)));
    await it.run(200);
    expect(await differences(it)).toEqual([]);
    expect(counted(it)).toEqual([1, 0]);
  });

  it('differs where the in-tree controller deletes a pod that it would have kept', async () => {
    const it = await pacedWorld({ a: {} }, {}, () => watched);
    await it.ingest(upserted(aPod('a', byInTree)));
    await it.ingest(deleted(aPod('a', byInTree)));
    await it.run(200);
    expect(await differences(it)).toEqual([['NotExpected', 'a']]);
    expect(counted(it)).toEqual([0, 1]);
  });

  it('does not differ by what Sluice evicts for taints of its own', async () => {
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

  it('forgets its decisions where it is owned again, or off', async () => {
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

describe('a watched PacedTaintRule', () => {
  it('lists whom it would have evicted, once', async () => {
    const it = await pacedWorld({ a: {}, b: {} }, {}, () => ({ native: 'own', paced: 'shadow' }));
    await it.write(aPacedRule('mine', { deviceSelector: { device: 'a' } }));
    await it.run(200);
    await it.ingest(upserted(aPod('a', { resourceVersion: nextVersion() })));
    await it.run(200);
    expect(await differences(it)).toEqual([['NotDeleted', 'a', 'mine']]);
    expect(it.gone()).toEqual([]);
  });
});
