// Permits of a canary and of evictions in flight: each has one owner, in every kind of table.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canaryState } from '../../lib/decide/canary.ts';
import { forgetCanary, leaveSeat, readCanary, takeSeat } from '../../lib/state/canaryRows.ts';
import { type InFlight, readInFlight, takePlace } from '../../lib/state/inFlightRows.ts';
import type { State } from '../../lib/state/state.ts';
import type { Table } from '../../lib/table.ts';

const now = 1_800_000_000_000;
const uids = Array.from({ length: 8 }, (_, i) => `uid-${i}`);
let limiters = 0;

/** `start` answers a table that may hold other suites' rows. */
export function seatsContract(name: string, start: () => Promise<{ table: Table; stop: () => Promise<void> }>): void {
  describe(`permits: ${name}`, () => {
    let state: State;
    let stop = async () => {};
    beforeAll(async () => {
      const { table, stop: end } = await start();
      state = { table, cluster: 'seats@incarnation' };
      stop = end;
    });
    afterAll(() => stop());
    const lot = (epoch = 1) => ({ limiter: `rule|${++limiters}`, epoch });

    it('each permit of a canary has one owner, however many evictors ask at once', async () => {
      const of = lot();
      const asked = await Promise.all(
        uids.flatMap((uid) => [0, 1, 2].map((seat) => state.table.transact([takeSeat(state, of, { seat, uid, now })]))),
      );
      expect(asked.filter(({ kind }) => kind === 'Written')).toHaveLength(3);
      const seats = await readCanary(state, of);
      expect(seats.map(({ seat }) => seat)).toEqual([0, 1, 2]);
      expect(canaryState({ pods: 3, hold: 1000 }, seats, now)).toEqual({ kind: 'Running', went: 0, free: [] });
    });

    it('a permit of a canary is released for a pod that was kept, and stays taken for one that was deleted', async () => {
      const of = lot();
      await state.table.write(takeSeat(state, of, { seat: 0, uid: 'kept', now }));
      await state.table.write(takeSeat(state, of, { seat: 1, uid: 'gone', now }));
      await state.table.write(leaveSeat(state, of, { seat: 0, uid: 'kept', deleted: false, now }));
      await state.table.write(leaveSeat(state, of, { seat: 1, uid: 'gone', deleted: true, now: now + 5 }));
      expect(await readCanary(state, of)).toEqual([{ seat: 1, uid: 'gone', deletedAt: now + 5 }]);
      expect((await state.table.write(takeSeat(state, of, { seat: 1, uid: 'next', now }))).kind).toBe('Lost');
      expect((await state.table.write(takeSeat(state, of, { seat: 0, uid: 'next', now }))).kind).toBe('Written');
    });

    it('permits of a canary belong to one version of the rule, and are deleted with its limiter', async () => {
      const of = lot(1);
      await state.table.write(takeSeat(state, of, { seat: 0, uid: 'a', now }));
      await state.table.write(takeSeat(state, { ...of, epoch: 11 }, { seat: 0, uid: 'b', now }));
      expect((await readCanary(state, of)).map(({ uid }) => uid)).toEqual(['a']);
      await forgetCanary(state, of.limiter);
      expect([await readCanary(state, of), await readCanary(state, { ...of, epoch: 11 })]).toEqual([[], []]);
    });

    it('one evictor takes the permit for an eviction in flight, if several have read the same version of its scope', async () => {
      const scope = { kind: 'Node', of: `node-${++limiters}` } as const;
      const take = (uid: string, before: InFlight) =>
        state.table.transact([takePlace(state, before, { pod: `default/${uid}`, uid, now })]);
      const read = async () => {
        const [found] = await readInFlight(state, [scope]);
        if (!found) throw new Error('no answer for the scope');
        return found;
      };
      for (const ver of [1, 2]) {
        const before = await read();
        const asked = await Promise.all(uids.map((uid) => take(uid, before)));
        expect(asked.filter(({ kind }) => kind === 'Written')).toHaveLength(1);
        // No row says that one of the pods is in flight: its place is free again at once.
        expect(await read()).toEqual({ scope, pods: [], ver });
      }
    });
  });
}
