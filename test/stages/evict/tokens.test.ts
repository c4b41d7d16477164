// Tokens of one limiter that concurrent evictions of one invocation request.
import { expect, it } from 'vitest';
import type { Known } from '../../../lib/stages/evict/round.ts';
import { createTokens } from '../../../lib/stages/evict/tokens.ts';
import type { Table } from '../../../lib/table.ts';
import { createInMemoryTable } from '../../support/fakes/table.ts';

const start = 1_800_000_000_000;

/** A bucket with ten tokens, and one more in ten seconds; `write` wraps each write of the bucket. */
function scene(write: (call: () => ReturnType<Table['write']>) => ReturnType<Table['write']>) {
  const table = createInMemoryTable();
  let writes = 0;
  const counted: Table = {
    ...table,
    write(of) {
      writes++;
      return write(() => table.write(of));
    },
  };
  const tokens = createTokens(
    {
      clock: { now: () => start, sleep: () => Promise.reject(new Error('tokens are not waited for')) },
      metrics: { add: () => undefined },
    },
    { state: { table: counted, cluster: 'c@i' } },
  );
  const facts = { rate: { perSecond: 0.1, burst: 10 }, limiter: 'rule|r' } as Known['facts'];
  const known = { facts, epoch: 1, bucketName: 'r' } as Known;
  const take = (epoch = 1) => tokens.next(async () => ({ ...known, epoch }), 1);
  return { take, tokens, writes: () => writes };
}

it('concurrent requests for tokens share one write, and no token is given twice', async () => {
  const { take, writes } = scene((call) => call());
  const found = await Promise.all(Array.from({ length: 10 }, () => take()));
  const times = found.map((one) => (one.kind === 'Token' ? one.token.at : 'None'));
  expect(new Set(times).size).toBe(10);
  expect(times).not.toContain('None');
  expect(writes()).toBe(1);
  expect(await take()).toEqual({ kind: 'Later', at: start + 10_000 });
});

it('concurrent requests for tokens fail together with their write, and the next request writes again', async () => {
  let isDown = true;
  const { take, writes } = scene((call) => (isDown ? Promise.reject(new Error('down')) : call()));
  const found = await Promise.allSettled(Array.from({ length: 10 }, () => take()));
  expect(found.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 'rejected'));
  expect(writes()).toBe(1);
  isDown = false;
  expect(await take()).toMatchObject({ kind: 'Token' });
});

it('a token returned while another is taken is given to the next request', async () => {
  let answer: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  let isHeld = false;
  const { take, tokens, writes } = scene(async (call) => {
    if (isHeld) await held;
    return call();
  });
  const first = await take();
  isHeld = true;
  const second = take();
  await Promise.resolve();
  if (first.kind === 'Token') tokens.giveBack(first.token);
  answer();
  const all = [first, await second, await take()];
  expect(all.map(({ kind }) => kind)).toEqual(['Token', 'Token', 'Token']);
  expect(writes()).toBe(2);
});

it('a token returned after an edit of its rule is not used for the new generation', async () => {
  const { take, tokens } = scene((call) => call());
  const first = await take(1);
  await take(2);
  if (first.kind === 'Token') tokens.giveBack(first.token);
  expect(await take(2)).toMatchObject({ kind: 'Token', token: { epoch: 2 } });
});
