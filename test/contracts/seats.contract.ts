// Seats of a canary, of evictions in flight, and slots that were left: each has one owner, whatever the table is made of.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canaryState } from '../../lib/decide/canary.ts';
import { forgetCanary, leaveSeat, readCanary, takeSeat } from '../../lib/state/canaryRows.ts';
import { boardFlight, readInFlight } from '../../lib/state/flightRows.ts';
import type { State } from '../../lib/state/state.ts';
import { occupy, readVacancies, vacate } from '../../lib/state/vacancyRows.ts';
import type { Table } from '../../lib/table.ts';

const now = 1_800_000_000_000;
const uids = Array.from({ length: 8 }, (_, i) => `uid-${i}`);
let limiters = 0;

/** `start` answers a table that may hold other suites' rows. */
export function seatsContract(name: string, start: () => Promise<{ table: Table; stop: () => Promise<void> }>): void {
  describe(`seats: ${name}`, () => {
    let state: State;
    let stop = async () => {};
    beforeAll(async () => {
      const { table, stop: end } = await start();
      state = { table, cluster: 'seats' };
      stop = end;
    });
    afterAll(() => stop());
    const lot = (epoch = 1) => ({ limiter: `rule|${++limiters}`, epoch });

    it('of a canary go to as many pods as it has, however many evictors ask at once', async () => {
      const of = lot();
      const asked = await Promise.all(
        uids.flatMap((uid) => [0, 1, 2].map((seat) => state.table.transact([takeSeat(state, of, { seat, uid, now })]))),
      );
      expect(asked.filter(({ kind }) => kind === 'Written')).toHaveLength(3);
      const seats = await readCanary(state, of);
      expect(seats.map(({ seat }) => seat)).toEqual([0, 1, 2]);
      expect(canaryState({ pods: 3, hold: 1000 }, seats, now)).toEqual({ kind: 'Running', went: 0, free: [] });
    });

    it('of a canary are free again after a pod that was kept, and taken for good by one that was deleted', async () => {
      const of = lot();
      await state.table.write(takeSeat(state, of, { seat: 0, uid: 'kept', now }));
      await state.table.write(takeSeat(state, of, { seat: 1, uid: 'gone', now }));
      await state.table.write(leaveSeat(state, of, { seat: 0, uid: 'kept', deleted: false, now }));
      await state.table.write(leaveSeat(state, of, { seat: 1, uid: 'gone', deleted: true, now: now + 5 }));
      expect(await readCanary(state, of)).toEqual([{ seat: 1, uid: 'gone', deletedAt: now + 5 }]);
      expect((await state.table.write(takeSeat(state, of, { seat: 1, uid: 'next', now }))).kind).toBe('Lost');
      expect((await state.table.write(takeSeat(state, of, { seat: 0, uid: 'next', now }))).kind).toBe('Written');
    });

    it('of a canary are those of one version of the rule, and go with its limiter', async () => {
      const of = lot(1);
      await state.table.write(takeSeat(state, of, { seat: 0, uid: 'a', now }));
      await state.table.write(takeSeat(state, { ...of, epoch: 11 }, { seat: 0, uid: 'b', now }));
      expect((await readCanary(state, of)).map(({ uid }) => uid)).toEqual(['a']);
      await forgetCanary(state, of.limiter);
      expect([await readCanary(state, of), await readCanary(state, { ...of, epoch: 11 })]).toEqual([[], []]);
    });

    it('of evictions in flight go to one of those who take a seat over from the same pod', async () => {
      const scope = { kind: 'Node', of: `node-${++limiters}` } as const;
      const board = (uid: string, before?: Parameters<typeof boardFlight>[2]['before']) =>
        state.table.transact([
          boardFlight(state, scope, { seat: 0, ...(before ? { before } : {}), pod: `default/${uid}`, uid, now }),
        ]);
      const first = await Promise.all(uids.map((uid) => board(uid)));
      expect(first.filter(({ kind }) => kind === 'Written')).toHaveLength(1);
      const [before] = (await readInFlight(state, scope)).seats;
      const second = await Promise.all(uids.map((uid) => board(uid, before)));
      expect(second.filter(({ kind }) => kind === 'Written')).toHaveLength(1);
      expect((await readInFlight(state, scope)).seats).toMatchObject([{ seat: 0, turn: 2 }]);
    });

    it('that were left as slots go to one of those who ask, earliest first', async () => {
      const { limiter } = lot();
      const slots = [now + 2000, now + 1000.333];
      for (const slot of slots)
        await state.table.write(vacate(state, { limiter, epoch: 1, slot, reservedAt: now, series: 2 }));
      const found = await readVacancies(state, limiter, { now, series: 2, most: 5 });
      expect(found.map(({ slot }) => slot)).toEqual([now + 1000.333, now + 2000]);
      const [vacancy] = found;
      if (!vacancy) throw new Error('nothing was left');
      const asked = await Promise.all(uids.map(() => state.table.transact([occupy(state, vacancy)])));
      expect(asked.filter(({ kind }) => kind === 'Written')).toHaveLength(1);
      expect(await readVacancies(state, limiter, { now, series: 2, most: 5 })).toEqual([{ limiter, slot: now + 2000 }]);
    });
  });
}
