// A read that began before a list was spread misses none of the pods listed by then.
import { describe, expect, it } from 'vitest';
import { readDue } from '../../lib/state/pendingRows.ts';
import { readPod } from '../../lib/state/podRows.ts';
import { registerLimiters } from '../../lib/state/spreadList.ts';
import type { State } from '../../lib/state/state.ts';
import { aroundCalls } from '../support/around.ts';
import { createInMemoryTable } from '../support/fakes/table.ts';
import {
  cluster,
  ledgerOf,
  limiter,
  list,
  listings,
  marks,
  nameOf,
  now,
  pendingOf,
  processOn,
  stored,
  walked,
  write,
} from '../support/longLists.ts';
import { aPod } from '../support/objects.ts';

const hour = 3_600_000;

/** Every way in which a stage reads a list, and whether that read finds one pod. */
type Look = (state: State, pod: string) => Promise<boolean>;

const looks: Readonly<Record<string, Look>> = {
  'pending pods': async (state, pod) => (await pendingOf(state)).includes(pod),
  'pods whose due time has come': async (state, pod) =>
    (await readDue(state, limiter, { now: now + hour, limit: 100 })).some((one) => one.pod === pod),
  'all pods': async (state, pod) => (await walked(state)).includes(pod),
};

/** Lists four pods; before one of the calls of that, all pods listed so far are looked up. */
async function lookedBefore(
  before: number,
  { finds, by }: { readonly finds: Look; readonly by: Parameters<typeof ledgerOf>[1] },
) {
  const table = createInMemoryTable();
  const names = [0, 1, 2, 3].map(nameOf);
  await stored(table, names.length);
  let calls = 0;
  let done: readonly string[] = [];
  const missed: string[] = [];
  const reader = processOn(table);
  const look = async () => {
    for (const name of done) if (!(await finds(reader, `default/${name}`))) missed.push(name);
  };
  const writer = processOn(
    aroundCalls(table, async (_, call) => {
      if (calls++ === before) await look();
      return call();
    }),
  );
  for (const name of names) {
    await list(writer, name, by);
    done = [...done, name];
  }
  return { missed, calls, table };
}

describe('a read of a list that is being spread', () => {
  for (const [what, finds] of Object.entries(looks))
    it(`every pod listed before a read of ${what} begins is found, between whichever calls of the writer it is read`, async () => {
      const by = what.includes('time') ? { dueAt: now + 60_000 } : {};
      for (let before = 0; before < 80; before++) {
        const { missed, calls, table } = await lookedBefore(before, { finds, by });
        expect(missed).toEqual([]);
        expect(before > calls || marks(table).length === 2).toBe(true);
      }
    });

  for (const [what, finds] of Object.entries(looks))
    it(`every pod listed before a read of ${what} begins is found, also when the list is spread between two calls of the read`, async () => {
      const by = what.includes('time') ? { dueAt: now + 60_000 } : {};
      for (let before = 0; before < 20; before++) {
        const table = createInMemoryTable();
        await stored(table, 8);
        const writer = processOn(table, 3);
        for (const i of [0, 1]) await list(writer, nameOf(i), by);
        let calls = 0;
        const between = aroundCalls(table, async (_, call) => {
          if (calls++ === before) for (const i of [2, 3, 4, 5, 6, 7]) await list(writer, nameOf(i), by);
          return call();
        });
        for (const i of [0, 1]) {
          calls = 0;
          expect(await finds({ table: between, cluster }, `default/${nameOf(i)}`)).toBe(true);
        }
      }
    });

  it('a read finds a pod listed by a process that does not know that the list is spread', async () => {
    const table = createInMemoryTable();
    await stored(table, 6);
    const [early, late] = [processOn(table), processOn(table, 1000)];
    await registerLimiters(late, [limiter], now);
    for (const i of [0, 1, 2, 3, 4]) await list(early, nameOf(i));
    await write(late, nameOf(5), (uid) => ledgerOf(uid));
    expect((await readPod(early, `default/${nameOf(5)}`))?.listed).toEqual([
      { limiter, sk: `P#5#${aPod(nameOf(5)).uid}` },
    ]);
    expect(await walked({ table, cluster })).toHaveLength(6);
    expect(await pendingOf({ table, cluster })).toHaveLength(6);
  });

  it('ten processes that list pods concurrently end with partitions of similar length', async () => {
    const table = createInMemoryTable();
    await stored(table, 3200);
    const processes = Array.from({ length: 10 }, () => processOn(table, 200, 10));
    const chunks = Array.from({ length: 320 }, (_, i) => i);
    for (const chunk of chunks)
      for (let i = 0; i < 10; i++) await list(processes[chunk % 10] ?? processOn(table), nameOf(chunk * 10 + i));
    const sizes = [...Map.groupBy(listings(table), ({ pk }) => pk).values()].map(({ length }) => length);
    // Pods listed before the list was long, those that each process listed before it noticed, and a sixteenth of the rest.
    expect(Math.max(...sizes)).toBeLessThanOrEqual(200 + 10 * 10 + 1.3 * (2900 / 16));
  });
});
