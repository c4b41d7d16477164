// The description of a taint is shown wherever the taint is named, so that the owner of an evicted pod learns why.
import { describe, expect, it } from 'vitest';
import { readClusterProgress } from '../../lib/view/readModel.ts';
import { readWhy, renderWhy } from '../../lib/view/why.ts';
import { aPacedRule, aTaintSlice } from '../support/objects.ts';
import { evictionPolicy } from '../support/pacedBuilders.ts';
import { type PacedWorld, pacedWorld } from '../support/pacedWorld.ts';

const taint = { key: 'example.com/fan', effect: 'NoExecute', description: 'fans at 100 %' };
const told = 'example.com/fan:NoExecute ("fans at 100 %")';
const sources: readonly (readonly [string, (paced: PacedWorld, more?: object) => Promise<void>])[] = [
  ['a PacedTaintRule', ({ write }, more) => write(aPacedRule('r', { taints: [{ ...taint, ...more }] }))],
  [
    'a DeviceTaintSlice',
    ({ publish }, more) => publish(aTaintSlice('agent', { taints: [{ device: 'a', taint: { ...taint, ...more } }] })),
  ],
];

async function saidOf({ world }: PacedWorld) {
  const state = { table: world.table, cluster: world.cluster };
  const why = renderWhy('default/a', await readWhy(state, 'default/a', world.now())).join('\n');
  return { why, page: JSON.stringify(await readClusterProgress(state, world.now())).replaceAll('\\"', '"') };
}

describe.each(sources)('the description of a taint of %s', (_, begin) => {
  it('a taint’s description is in the Event of the eviction, in why and on the page', async () => {
    const paced = await pacedWorld({ a: {} });
    await begin(paced);
    await paced.run(5);
    expect(paced.gone()).toEqual(['a']);
    expect([...paced.world.api.recorded.values()][0]?.message).toContain(told);
    const { why, page } = await saidOf(paced);
    expect(why).toContain(told);
    expect(page.split(told).length - 1).toBeGreaterThanOrEqual(2);
  });

  it('a taint’s description is in why while the pod is pending', async () => {
    const paced = await pacedWorld({ a: {} });
    await begin(paced, { evictionsPerSecond: 0 });
    await paced.run(5);
    expect(paced.gone()).toEqual([]);
    expect((await saidOf(paced)).why).toContain(told);
  });
});

it('conditions of a rule with several taints name the taint concerned, with its description', async () => {
  const paced = await pacedWorld({ a: {} });
  await paced.ask(evictionPolicy({ taints: { keys: [taint.key] }, paused: true }));
  await paced.write(aPacedRule('r', { taints: [taint, { key: 'other', effect: 'NoExecute', evictionsPerSecond: 0 }] }));
  await paced.run(70);
  for (const type of ['sluice.dev/Held', 'sluice.dev/Pacing'])
    expect([type, paced.condition('r', type)?.message]).toEqual([
      type,
      expect.stringMatching(/example\.com\/fan \("fans at 100 %"\): .*Paused/),
    ]);
});
