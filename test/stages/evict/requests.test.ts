// The requests that an eviction makes to the table and to the API server.
import { describe, expect, it } from 'vitest';
import { tableFor } from '../../../lib/lambda/stageTable.ts';
import type { Table, Write } from '../../../lib/table.ts';
import { aClaim, aPacedRule, nextVersion, upserted } from '../../support/objects.ts';
import { type PacedWorld, pacedWorld } from '../../support/pacedWorld.ts';

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

/** Counts the objects that are read one by one, by kind. */
function readsOf(live: PacedWorld['world']['api']['live']): Map<string, number> {
  const counts = new Map<string, number>();
  const { read } = live;
  live.read = (kind, key) => {
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
    return read(kind, key);
  };
  return counts;
}

const sum = (counts: ReadonlyMap<string, number>) => [...counts.values()].reduce((a, b) => a + b, 0);

/** Counts rows that are written. */
function countingRows(table: Table): { readonly table: Table; count: number } {
  const counted = {
    count: 0,
    table: {
      ...table,
      write: (write: Write) => {
        counted.count++;
        return table.write(write);
      },
      transact: (writes: readonly Write[]) => {
        counted.count += writes.length;
        return table.transact(writes);
      },
    },
  };
  return counted;
}

describe('ingest of deallocated claims', () => {
  it('ten claims deallocated in one message are looked up with at most ten getMany requests', async () => {
    const names = Object.keys(pods(10));
    const paced = await pacedWorld(pods(10));
    const deps = paced.world.depsOf('ingest');
    const counts = new Map<string, number>();
    Object.assign(deps, { table: tableFor('ingest', counting(deps.table, counts)) });
    const { allocation: _, ...free } = aClaim('x', 'gpu-0');
    const claims = names.map((name) =>
      upserted({ ...free, name: `claim-${name}`, uid: `uid-claim-${name}`, resourceVersion: nextVersion() }),
    );
    await paced.ingest(...claims);
    expect(counts.get('query')).toBeGreaterThanOrEqual(10);
    expect(counts.get('getMany')).toBeLessThanOrEqual(10);
  });
});

describe('a hundred evictions of one limiter', () => {
  it('an eviction writes at most twelve rows in all stages, from its rule to its close', async () => {
    const paced = await pacedWorld(pods(100));
    const { deps, depsOf } = paced.world;
    await paced.run(10);
    const counted = countingRows(deps.table);
    Object.assign(deps, { table: counted.table });
    for (const worker of ['ingest', 'evaluate', 'evict', 'report', 'sweep'] as const)
      Object.assign(depsOf(worker), { table: counted.table });
    await paced.write(aPacedRule('r', unpaced));
    await paced.run(20);
    expect(paced.gone()).toHaveLength(100);
    expect(counted.count / 100).toBeGreaterThan(8);
    expect(counted.count / 100).toBeLessThanOrEqual(12);
  });

  it('an eviction makes at most 2.5 table requests in the evict stage, including those of its round', async () => {
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

  it('an eviction reads its pod and its claim once when the table has had them for a while', async () => {
    const paced = await pacedWorld(pods(100));
    const reads = readsOf(paced.world.api.live);
    await paced.run(10);
    await paced.write(aPacedRule('r', unpaced));
    reads.clear();
    await paced.run(10);
    const count = (kind: string) => reads.get(kind) ?? 0;
    expect([count('Pod'), count('ResourceClaim')]).toEqual([100, 100]);
  });

  it('evictions of 100 pods that kubelets have updated read at most 125 pods, 125 claims and 30 namespaces', async () => {
    const paced = await pacedWorld(pods(100));
    const { live } = paced.world.api;
    const reads = readsOf(live);
    await paced.run(10);
    for (const pod of live.all('Pod')) live.put({ ...pod, resourceVersion: nextVersion() });
    await paced.write(aPacedRule('r', unpaced));
    reads.clear();
    await paced.run(10);
    const count = (kind: string) => reads.get(kind) ?? 0;
    expect(paced.gone()).toHaveLength(100);
    expect(count('Pod')).toBeLessThanOrEqual(125);
    expect(count('ResourceClaim')).toBeLessThanOrEqual(125);
    expect(count('Namespace')).toBeLessThanOrEqual(30);
  });
});
