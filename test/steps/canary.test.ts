// A canary through the whole path: the first pods, the hold, and the effect of pauses, edits and lost messages.
import { describe, expect, it } from 'vitest';
import { aPacedRule, aRule, aSlice, upserted } from '../support/objects.ts';
import { evictionPolicy } from '../support/pacedBuilders.ts';
import { pacedWorld, start } from '../support/pacedWorld.ts';

const pods = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, {}]));
const held = 'sluice.dev/Held';
const slow = evictionPolicy({ canary: { pods: 3, hold: 300_000 } });

describe('a canary', () => {
  it('a canary evicts its pods, holds the others and says until when, then evicts all', async () => {
    const { world, ask, write, run, gone, condition } = await pacedWorld(pods(20));
    await ask(slow);
    await write(aPacedRule('r'));
    await run(60);
    expect(gone()).toHaveLength(3);
    const last = Math.max(...world.api.deletes.map(({ at }) => at));
    const until = new Date(last + 300_000).toISOString().slice(0, 16);
    expect(condition('r', held)).toMatchObject({ status: 'True', reason: 'Canary' });
    expect(condition('r', held)?.message).toMatch(
      /^Canary of EvictionPolicy policy: 3 pods evicted, the last at .*; 17 more wait until /,
    );
    expect(condition('r', held)?.message).toContain(`wait until ${until}`);
    expect(condition('r', 'sluice.dev/Pacing')).toMatchObject({ status: 'False', message: 'Held: Canary.' });
    await run((last + 299_000 - world.now()) / 1000);
    expect(gone()).toHaveLength(3);
    await run(20);
    expect(gone()).toHaveLength(20);
    expect(condition('r', held)).toMatchObject({ status: 'False' });
  });

  it('a canary continues within seconds of the end of its hold, not at the next sweep', async () => {
    const { world, ask, write, run, gone } = await pacedWorld(pods(5));
    await ask(evictionPolicy({ canary: { pods: 1, hold: 10_000 } }));
    await write(aPacedRule('r'));
    await run(16);
    expect(gone()).toHaveLength(5);
    const [first = 0, second = 0] = world.api.deletes.map(({ at }) => at);
    expect(second - first).toBeGreaterThanOrEqual(10_000);
  });

  it('a canary continues at the next sweep if the message about the end of its hold is lost', async () => {
    const { world, ask, write, run, gone } = await pacedWorld(pods(5));
    await ask(evictionPolicy({ canary: { pods: 1, hold: 10_000 } }));
    await write(aPacedRule('r'));
    await run(5);
    world.messages.splice(0);
    await run(90);
    expect(gone()).toHaveLength(5);
  });

  it('a canary gives the permits of requeued pods to the next pods at once, not at the next sweep', async () => {
    const { world, ask, write, run, gone } = await pacedWorld(pods(6));
    await ask(evictionPolicy({ canary: { pods: 2, hold: 60_000 } }));
    const { evictor } = world.api;
    const marks = evictor.mark;
    // Longer than an intent is valid: its DELETE would be too late.
    evictor.mark = async (...asked) => {
      if (world.now() - start < 30_000) await world.deps.clock.sleep(13_000);
      return marks(...asked);
    };
    await run(25);
    await write(aPacedRule('r'));
    await run(30);
    expect(gone()).toHaveLength(2);
  });

  it('a canary has permits for native rules and for slice taints alike', async () => {
    const taints = [{ key: 'example.com/ecc', effect: 'NoExecute', timeAdded: start }];
    const { world, ask, ingest, run, gone } = await pacedWorld(pods(8));
    await ask(slow);
    await ingest(
      ...['p0', 'p1', 'p2', 'p3', 'p4'].map((name) =>
        upserted(aSlice(`slice-${name}`, { devices: [{ name, taints }] })),
      ),
    );
    await run(60);
    expect(gone()).toHaveLength(3);
    const native = aRule('n', start);
    world.api.rules.set('n', { rule: native, conditions: [] });
    await ingest(upserted(native));
    await run(60);
    expect(gone()).toHaveLength(6);
  });

  it('a canary does not continue while its rule is paused, but does after that', async () => {
    const { ask, write, run, gone, condition } = await pacedWorld(pods(6));
    await ask(evictionPolicy({ canary: { pods: 2, hold: 60_000 } }));
    await write(aPacedRule('r'));
    await run(30);
    await write(aPacedRule('r', { annotations: { 'sluice.dev/paused': 'true' } }));
    await run(120);
    expect(gone()).toHaveLength(2);
    expect(condition('r', held)).toMatchObject({ reason: 'Paused' });
    await write(aPacedRule('r'));
    await run(90);
    expect(gone()).toHaveLength(6);
  });

  it('a canary restarts when its rule is edited', async () => {
    const { ask, write, run, gone, condition } = await pacedWorld(pods(9));
    await ask(slow);
    await write(aPacedRule('r'));
    await run(60);
    expect(gone()).toHaveLength(3);
    await write(aPacedRule('r', { generation: 2, priority: 5 }));
    await run(60);
    expect(gone()).toHaveLength(6);
    expect(condition('r', held)?.message).toContain('3 pods evicted');
    await run(400);
    expect(gone()).toHaveLength(9);
  });

  it('a canary ends when its policy no longer asks for it', async () => {
    const { ask, write, run, gone } = await pacedWorld(pods(9));
    await ask(slow);
    await write(aPacedRule('r'));
    await run(60);
    await ask(evictionPolicy({ generation: 2 }));
    await run(90);
    expect(gone()).toHaveLength(9);
  });

  it('a canary that begins in the middle of an eviction evicts no more pods than it has permits', async () => {
    const { world, ask, write, run, gone } = await pacedWorld(pods(60));
    await ask(evictionPolicy({ evictionsPerSecond: 1, burst: 1 }));
    await write(aPacedRule('r'));
    await run(10);
    const before = gone().length;
    const at = world.now();
    await ask(evictionPolicy({ evictionsPerSecond: 1, burst: 1, generation: 2, canary: { pods: 4, hold: 3_600_000 } }));
    await run(300);
    expect(before).toBeGreaterThan(5);
    expect(world.api.deletes.filter((one) => one.at > at)).toHaveLength(4);
  });

  it('a canary holds one taint of a rule and says so, while another taint evicts its pods', async () => {
    const { ask, write, run, gone, condition } = await pacedWorld(pods(6));
    await ask(evictionPolicy({ taints: { keys: ['a'] }, canary: { pods: 1, hold: 3_600_000 } }));
    const taint = (key: string, more: object = {}) => ({ key, effect: 'NoExecute', ...more });
    await write(aPacedRule('r', { taints: [taint('a'), taint('b', { evictionsPerSecond: 0.1, burst: 1 })] }));
    await run(25);
    expect(gone().length).toBeGreaterThan(2);
    expect(gone().length).toBeLessThan(6);
    expect(condition('r', held)?.message).toMatch(/^a: Canary of EvictionPolicy policy: /);
  });
});
