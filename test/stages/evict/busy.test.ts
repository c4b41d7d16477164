// What an eviction costs where table and API server are slow: because all calls share one processor, or because they are far away.
import { describe, expect, it } from 'vitest';
import type { Milliseconds } from '../../../lib/model/time.ts';
import { aroundCalls } from '../../support/around.ts';
import { aPacedRule, nextVersion } from '../../support/objects.ts';
import { type PacedWorld, pacedWorld } from '../../support/pacedWorld.ts';

const count = 300;
const pods = Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, {}]));
const unpaced = {
  taints: [{ key: 'example.com/bad', effect: 'NoExecute', evictionsPerSecond: 10_000, burst: 10_000 }],
};

/** When a call is answered that is made at `now`. */
type Served = (now: Milliseconds) => Milliseconds;

/** One after the other, `each` at a time. */
function onOneProcessor(each: Milliseconds): Served {
  let freeAt = 0;
  return (now) => {
    freeAt = Math.max(freeAt, now) + each;
    return freeAt;
  };
}

interface Counted {
  readonly calls: number;
  /** Writes of the bucket. */
  readonly takes: number;
}

/** Kubelets have moved each pod's version since the table was told of it. Calls of the evict stage, and when the last pod was deleted. */
async function evictAll(served: Served): Promise<Counted & { readonly took: Milliseconds }> {
  const paced = await pacedWorld(pods);
  await paced.run(10);
  const { api } = paced.world;
  for (const pod of api.live.all('Pod')) api.live.put({ ...pod, resourceVersion: nextVersion() });
  await paced.write(aPacedRule('r', unpaced));
  const counted = counting(paced, served);
  const from = paced.world.now();
  await paced.run(60);
  expect(paced.gone()).toHaveLength(count);
  return { ...counted, took: Math.max(...api.deletes.map(({ at }) => at)) - from };
}

function counting({ world }: PacedWorld, served: Served): Counted {
  const { clock } = world.deps;
  const counted = { calls: 0, takes: 0 };
  const around = async <T>(name: string, call: () => Promise<T>, args: readonly unknown[]): Promise<T> => {
    counted.calls++;
    if (name === 'write' && JSON.stringify(args).includes('#BUCKET#')) counted.takes++;
    await clock.sleep(served(clock.now()) - clock.now());
    return call();
  };
  const { api } = world;
  const access = { ...api, live: aroundCalls(api.live, around), evictor: aroundCalls(api.evictor, around) };
  const deps = world.depsOf('evict');
  Object.assign(deps, { table: aroundCalls(deps.table, around), accessTo: () => access });
  return counted;
}

describe('an unpaced eviction of three hundred pods', () => {
  it.each([
    [2, 8],
    [4, 10],
  ])(
    'whose calls share one processor and take %d ms of it makes at most %d of them for each pod',
    async (each, most) => {
      const { calls } = await evictAll(onOneProcessor(each));
      expect(calls / count).toBeLessThanOrEqual(most);
    },
  );

  it('takes a token once for all pods that wait for one, and not each for itself against the others', async () => {
    const { takes } = await evictAll(onOneProcessor(4));
    expect(takes).toBeGreaterThan(0);
    expect(takes).toBeLessThanOrEqual(count / 8);
  });

  it('deletes more pods side by side where calls are slow because the API server is far away', async () => {
    const { took } = await evictAll((now) => now + 60);
    // The eight that it begins with take about half a minute for all of them.
    expect(took).toBeLessThanOrEqual(16_000);
  });
});
