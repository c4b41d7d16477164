// A rule that is edited while its pods are pending: what its condition counts, and which pods get an Event that they are kept.
import { describe, expect, it } from 'vitest';
import type { PacedTaintRule } from '../../lib/model/rule.ts';
import { aPacedRule, deleted } from '../support/objects.ts';
import { pacedWorld } from '../support/pacedWorld.ts';

const names = Array.from({ length: 7 }, (_, i) => `p${i}`);
const devices = Object.fromEntries(names.map((name) => [name, {}]));
const taintsAt = (rate: object) => [{ key: 'example.com/bad', effect: 'NoExecute', ...rate }];
const slowly = { evictionsPerSecond: 0.01, burst: 3 };
type World = Awaited<ReturnType<typeof pacedWorld>>['world'];

const kept = (world: World) =>
  [...world.api.recorded.values()]
    .filter(({ message }) => message.startsWith('Cancelling deletion'))
    .map(({ regarding }) => regarding.name)
    .sort();
const only = (device: string) => ({ deviceSelector: { device } });

async function edited(rule: Partial<PacedTaintRule>, after: Partial<PacedTaintRule>) {
  const paced = await pacedWorld(devices);
  await paced.write(aPacedRule('r', rule));
  await paced.run(20);
  await paced.write({ ...(paced.live('r') ?? aPacedRule('r')), generation: 2, ...after });
  await paced.run(40);
  return paced;
}

describe('a rule that is narrowed while pods are pending', () => {
  it('a narrowed rule counts the pods that it evicted, and the others are kept with an Event each', async () => {
    const { gone, condition, world } = await edited({ taints: taintsAt(slowly) }, only('p0'));
    expect(gone()).toHaveLength(3);
    expect(condition('r', 'EvictionInProgress')?.message).toMatch(/3 pods evicted since/);
    expect(kept(world)).toEqual(names.filter((name) => !gone().includes(name) && name !== 'p0'));
  });

  it('a rule without rate limiting has evicted all pods before it is narrowed, as upstream does', async () => {
    const { gone, condition, world } = await edited({ taints: taintsAt({ evictionsPerSecond: 10000 }) }, only('p0'));
    expect(gone()).toEqual(names);
    expect(condition('r', 'EvictionInProgress')?.message).toMatch(/7 pods evicted since/);
    expect(kept(world)).toEqual([]);
  });
});

describe('the Event that a pod is kept', () => {
  it('a pod gets the Event that it is kept only if no other rule evicts it', async () => {
    const { world, write, ingest, run, live } = await pacedWorld(devices);
    await write(aPacedRule('r', { taints: taintsAt(slowly) }));
    await write(
      aPacedRule('s', {
        taints: [{ ...taintsAt(slowly)[0], key: 'example.com/worse', effect: 'NoExecute' }],
        ...only('p6'),
      }),
    );
    await run(10);
    const rule = live('r') ?? aPacedRule('r');
    world.api.rules.delete('PacedTaintRule/r');
    await ingest(deleted(rule));
    await run(10);
    const stay = kept(world);
    expect(stay.length).toBeGreaterThan(2);
    expect(stay).not.toContain('p6');
  });

  it('a pod gets no Event if another taint of the same rule evicts it later', async () => {
    const second = { key: 'example.com/worse', effect: 'NoExecute', ...slowly };
    const { world } = await edited({ taints: [...taintsAt(slowly), second] }, { taints: [second] });
    expect(kept(world)).toEqual([]);
  });

  it('a pod gets no Event if another taint replaces the first in the same edit', async () => {
    const { world } = await edited(
      { taints: taintsAt(slowly) },
      { taints: [{ key: 'example.com/worse', effect: 'NoExecute', ...slowly }] },
    );
    expect(kept(world)).toEqual([]);
  });
});
