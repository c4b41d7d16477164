// The pause of a namespace through the whole path: it keeps every pod in it, whatever the pods' own labels say, and ends when it is removed.
import { describe, expect, it } from 'vitest';
import { readWhy, renderWhy } from '../../lib/view/why.ts';
import { aClaim, aNamespace, aPacedRule, aPod, deleted, upserted } from '../support/objects.ts';
import { evictionPolicy } from '../support/pacedBuilders.ts';
import { pacedWorld } from '../support/pacedWorld.ts';

const paused = (text = 'audit') => aNamespace('default', { annotations: { 'pause.sluice.dev/manual': text } });
const modes = ['Delete', 'Evict', 'WaitForCompletion', 'evict'];

describe('a paused namespace', () => {
  it('a pod with a mode label of its own is kept too, and so is one that is created later', async () => {
    const { ingest, write, run, gone, world } = await pacedWorld({ p0: {}, p1: {}, p2: {}, p3: {} });
    await ingest(
      ...modes.map((mode, i) => upserted(aPod(`p${i}`, { labels: { 'sluice.dev/eviction-mode': mode } }))),
      upserted(paused()),
    );
    await write(aPacedRule('r'));
    await run(5);
    world.api.pods.set('default/late', { uid: 'uid-late', terminating: false, marked: false });
    await ingest(
      upserted(aClaim('late', 'late')),
      upserted(aPod('late', { labels: { 'sluice.dev/eviction-mode': 'Delete' } })),
    );
    await run(120);
    expect(gone()).toEqual([]);
    expect(world.api.evictions).toEqual([]);
    const state = { table: world.table, cluster: world.cluster };
    const why = renderWhy('default/p0', await readWhy(state, 'default/p0', world.now())).join('\n');
    expect(why).toContain('held: Its namespace default is paused by manual (audit).');
    expect(why.match(/is paused by/g)).toHaveLength(1);
    expect(why).toContain('kept for now');
    expect(why).not.toMatch(/waits for a token|275760/);
  });

  it('pods of other namespaces are evicted meanwhile', async () => {
    const { ingest, write, run, gone } = await pacedWorld({ p0: {} });
    await ingest(upserted({ ...paused(), name: 'other' }));
    await write(aPacedRule('r'));
    await run(5);
    expect(gone()).toEqual(['p0']);
  });

  it('a pause in the middle of an eviction keeps the rest until the last pause is removed', async () => {
    const { ingest, ask, write, run, gone } = await pacedWorld({ p0: {}, p1: {}, p2: {} });
    await ask(evictionPolicy({ evictionsPerSecond: 0.1, burst: 1 }));
    await write(aPacedRule('r'));
    await run(2);
    expect(gone()).toHaveLength(1);
    const both = aNamespace('default', {
      annotations: { 'pause.sluice.dev/manual': '', 'sluice.dev/paused': 'true' },
    });
    await ingest(upserted(both));
    await run(60);
    await ingest(upserted(aNamespace('default', { annotations: { 'sluice.dev/paused': 'true' } })));
    await run(60);
    expect(gone()).toHaveLength(1);
    await ingest(deleted(aNamespace('default')));
    await run(30);
    expect(gone()).toHaveLength(3);
  });

  it('the rule says how many pods are kept, and names no time for them', async () => {
    const { ingest, write, run, world } = await pacedWorld({ p0: {}, p1: {} });
    await ingest(upserted(paused()));
    await write(aPacedRule('r'));
    await run(60);
    const pacing = world.api.rules.get('PacedTaintRule/r')?.conditions.find(({ type }) => type === 'sluice.dev/Pacing');
    expect(pacing).toMatchObject({
      status: 'False',
      reason: 'Held',
      message: 'Held: 2 pods are kept, each by its mode, its namespace or its policy.',
    });
  });
});
