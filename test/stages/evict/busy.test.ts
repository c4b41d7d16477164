// Calls of an eviction when table and API server are slow: because calls share one processor, or because of the network.
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

/** The time at which a call made at `now` is answered. */
type Served = (now: Milliseconds) => Milliseconds;

/** Calls are answered one after the other, each in `each` milliseconds. */
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

/** Calls of the evict stage, and the time until the last DELETE; kubelets have updated each pod since the table stored it. */
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

describe('an eviction of 300 pods without a rate limit', () => {
  it.each([
    [2, 8],
    [4, 10],
  ])('an eviction whose calls take %d ms of one processor makes at most %d calls per pod', async (each, most) => {
    const { calls } = await evictAll(onOneProcessor(each));
    expect(calls / count).toBeLessThanOrEqual(most);
  });

  it('pods that wait for tokens share writes of the bucket, at least eight pods per write', async () => {
    const { takes } = await evictAll(onOneProcessor(4));
    expect(takes).toBeGreaterThan(0);
    expect(takes).toBeLessThanOrEqual(count / 8);
  });

  it('an eviction deletes more pods in parallel when the API server is far away', async () => {
    const { took } = await evictAll((now) => now + 60);
    // At the initial concurrency of eight, all of them would take about half a minute.
    expect(took).toBeLessThanOrEqual(16_000);
  });
});
