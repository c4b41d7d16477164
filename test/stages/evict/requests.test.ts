// What an eviction costs the evict stage in requests: to the table, and to the API server.
import { describe, expect, it } from 'vitest';
import { aPacedRule, nextVersion } from '../../support/objects.ts';
import { pacedWorld } from '../../support/pacedWorld.ts';

const pods = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, {}]));
const unpaced = {
  taints: [{ key: 'example.com/bad', effect: 'NoExecute', evictionsPerSecond: 10_000, burst: 10_000 }],
};

/** Counts calls by the name of the method. */
function counting<T extends object>(port: T, counts: Map<string, number>): T {
  return new Proxy(port, {
    get(target, name) {
      const method = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      return (...args: unknown[]) => {
        counts.set(String(name), (counts.get(String(name)) ?? 0) + 1);
        return method.apply(target, args);
      };
    },
  });
}

const sum = (counts: ReadonlyMap<string, number>) => [...counts.values()].reduce((a, b) => a + b, 0);

describe('an eviction among a hundred of one limiter', () => {
  it('costs the stage at most two and a half requests of the table, those of its round included', async () => {
    const paced = await pacedWorld(pods(100));
    const counts = new Map<string, number>();
    const deps = paced.world.depsOf('evict');
    Object.assign(deps, { table: counting(deps.table, counts) });
    await paced.run(10);
    await paced.write(aPacedRule('r', unpaced));
    await paced.run(10);
    expect(paced.gone()).toHaveLength(100);
    expect(sum(counts) / 100).toBeLessThanOrEqual(2.5);
  });

  it('reads each pod and each claim once, where the table has shown them for a while', async () => {
    const paced = await pacedWorld(pods(100));
    const { live } = paced.world.api;
    const reads: string[] = [];
    const read = live.read;
    live.read = (kind, key) => {
      reads.push(kind);
      return read(kind, key);
    };
    await paced.run(10);
    await paced.write(aPacedRule('r', unpaced));
    reads.length = 0;
    await paced.run(10);
    const count = (kind: string) => reads.filter((one) => one === kind).length;
    expect([count('Pod'), count('ResourceClaim')]).toEqual([100, 100]);
  });

  it('reads each pod and each claim twice, and what they share a few times, where kubelets have moved only versions', async () => {
    const paced = await pacedWorld(pods(100));
    const { live } = paced.world.api;
    const reads: string[] = [];
    const read = live.read;
    live.read = (kind, key) => {
      reads.push(kind);
      return read(kind, key);
    };
    await paced.run(10);
    for (const pod of live.all('Pod')) live.put({ ...pod, resourceVersion: nextVersion() });
    await paced.write(aPacedRule('r', unpaced));
    reads.length = 0;
    await paced.run(10);
    const count = (kind: string) => reads.filter((one) => one === kind).length;
    expect(paced.gone()).toHaveLength(100);
    expect(count('Pod')).toBeLessThanOrEqual(230);
    expect(count('ResourceClaim')).toBeLessThanOrEqual(230);
    expect(count('Namespace')).toBeLessThanOrEqual(30);
  });
});
