// The lease of a limiter between invocations that ask for it and one that ends it.
import { expect, it } from 'vitest';
import { releaseLease, takeLease } from '../../lib/state/leaseRows.ts';
import type { Table } from '../../lib/table.ts';
import { aroundCalls } from '../support/around.ts';
import { createWorld } from '../support/world.ts';

const start = 1_800_000_000_000;
const limiter = 'rule|uid|example.com/bad|NoExecute';

/** A table that runs `before` in front of its write number `at`, from 1. */
function interrupted(table: Table, at: number, before: () => Promise<unknown>): Table {
  let writes = 0;
  return aroundCalls(table, async (name, call) => {
    if (name === 'write' && ++writes === at) await before();
    return call();
  });
}

it.each([1, 2, 3])(
  'a request for a limiter whose holder ends before write %i of the request is not lost: one of the two looks again',
  async (at) => {
    const { table, cluster } = createWorld({ start });
    const state = { table, cluster };
    const held = await takeLease(state, limiter, { now: start, hops: 0 });
    if (held.kind !== 'Taken') throw new Error('the lease of a new limiter is free');
    let released: string | undefined;
    const asking = {
      table: interrupted(table, at, async () => {
        released = (await releaseLease(state, held)).kind;
      }),
      cluster,
    };
    const asked = await takeLease(asking, limiter, { now: start + 100, hops: 0 });
    // Without so many writes, the holder ends after the request.
    released ??= (await releaseLease(state, held)).kind;
    expect(asked.kind === 'Taken' || released === 'Wanted').toBe(true);
  },
);
