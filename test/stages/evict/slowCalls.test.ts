// A limiter keeps its rate, and never exceeds it, when calls of table and API server are slow.
import { describe, expect, it } from 'vitest';
import type { EvictionPolicy } from '../../../lib/model/policy.ts';
import { aroundCalls } from '../../support/around.ts';
import { aPacedRule } from '../../support/objects.ts';
import { evictionPolicy } from '../../support/pacedBuilders.ts';
import { pacedWorld } from '../../support/pacedWorld.ts';

const pods = 40;
const perSecond = 10;
const taints = [{ key: 'example.com/bad', effect: 'NoExecute' as const, evictionsPerSecond: perSecond, burst: 1 }];

/** The times of all DELETEs, ascending; each call of table and API server takes `latency` milliseconds. */
async function evictAll(
  latency: number,
  of: {
    readonly pods: number;
    readonly seconds: number;
    readonly rate?: number;
    readonly policy?: EvictionPolicy;
  } = { pods, seconds: 30 },
): Promise<readonly number[]> {
  const names = Array.from({ length: of.pods }, (_, i) => `p${i}`);
  const paced = await pacedWorld(Object.fromEntries(names.map((name) => [name, {}])));
  const { world } = paced;
  await paced.run(20);
  const { sleep } = world.deps.clock;
  const slow = <T extends object>(port: T): T =>
    aroundCalls(port, async (_, call) => {
      await sleep(latency);
      return call();
    });
  const deps = world.depsOf('evict');
  const access = { ...world.api, live: slow(world.api.live), evictor: slow(world.api.evictor) };
  Object.assign(deps, { table: slow(deps.table), accessTo: () => access });
  if (of.policy) await paced.ask(of.policy);
  const paces = taints.map((one) => ({ ...one, evictionsPerSecond: of.rate ?? perSecond }));
  await paced.write(aPacedRule('r', { taints: paces }));
  await paced.run(of.seconds);
  return world.api.deletes.map(({ at }) => at).toSorted((a, b) => a - b);
}

/** A request arrives at most a second after its token. */
function expectWithinPace(times: readonly number[], rate = perSecond): void {
  for (const [i, at] of times.entries())
    for (const [k, later] of times.slice(i + 1).entries())
      expect(later - at + 1000).toBeGreaterThanOrEqual((k + 1) * (1000 / rate));
}

describe('a limiter with slow calls', () => {
  it.each([5, 60, 90, 110])(
    'pods are evicted at the rate of their rule, and never above it, when each call takes %i ms',
    async (latency) => {
      const times = await evictAll(latency);
      expect(times).toHaveLength(pods);
      const [first = 0] = times;
      const last = times.at(-1) ?? 0;
      expect(((pods - 1) * 1000) / (last - first)).toBeGreaterThanOrEqual(0.95 * perSecond);
      expectWithinPace(times);
    },
  );

  it.each([
    [150, 10],
    [200, 10],
    [250, 10],
    [300, 10],
    [300, 1],
    [200, 0.5],
    [200, 0.2],
    [250, 0.2],
    [250, 0.1],
    [300, 0.2],
  ])(
    'a limiter evicts all its pods, and never above their rate, when each call takes %i ms at a rate of %d a second',
    async (latency, rate) => {
      const times = await evictAll(latency, { pods: 10, seconds: 600, rate });
      expect(times).toHaveLength(10);
      expectWithinPace(times, rate);
    },
  );

  it('the only pod of a canary is evicted when each call takes 180 ms', async () => {
    const policy = evictionPolicy({ canary: { pods: 1, hold: 300_000 } });
    expect(await evictAll(180, { pods: 3, seconds: 60, policy })).toHaveLength(1);
  });
});
