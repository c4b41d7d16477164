// Answers that the pods of one process share: their age and their order.
import { expect, it } from 'vitest';
import { createSharedReads } from '../../lib/adapters/sharedReads.ts';

function scene() {
  let now = 1000;
  let asked = 0;
  const shared = createSharedReads(() => now);
  return {
    shared,
    pass: (milliseconds: number) => {
      now += milliseconds;
    },
    read: (by: { maxAge?: number; after?: number; key?: string } = {}) =>
      shared.read(
        by.key ?? 'a',
        { maxAge: by.maxAge ?? 500, ...(by.after === undefined ? {} : { after: by.after }) },
        async () => ++asked,
      ),
  };
}

it('an answer is reused until it is older than maxAge, counted from its request', async () => {
  const { read, pass } = scene();
  expect(await read()).toMatchObject({ value: 1, readAt: 1000 });
  pass(500);
  expect(await read()).toMatchObject({ value: 1, readAt: 1000 });
  pass(1);
  expect(await read()).toMatchObject({ value: 2, readAt: 1501 });
});

it('an answer older than a caller accepts is read again', async () => {
  const { read, pass } = scene();
  await read();
  pass(300);
  expect(await read({ maxAge: 250 })).toMatchObject({ value: 2 });
});

it('callers at the same time share one request', async () => {
  const { read } = scene();
  const answers = await Promise.all([read(), read(), read()]);
  expect(answers.map(({ value }) => value)).toEqual([1, 1, 1]);
});

it('each key has its own answer', async () => {
  const { read } = scene();
  expect([(await read()).value, (await read({ key: 'b' })).value]).toEqual([1, 2]);
});

it('a read after a mark begins after it, however young the last answer is', async () => {
  const { read, shared } = scene();
  const first = await read();
  const mark = shared.mark();
  const second = await read({ after: mark });
  expect([first.begun < first.ended, first.ended < mark, mark < second.begun]).toEqual([true, true, true]);
  expect([first.value, second.value]).toEqual([1, 2]);
});

it('an answer has the versions that were noted before its request, and no later ones', async () => {
  const { read, shared, pass } = scene();
  shared.note('Pod', '7');
  const asked = read();
  shared.note('Pod', '9');
  expect((await asked).versions).toEqual(new Map([['Pod', '7']]));
  shared.note('Pod', '8');
  pass(501);
  expect((await read()).versions).toEqual(new Map([['Pod', '8']]));
});

it('an answer has no version that was noted more than five seconds before, or before the clock was set back', async () => {
  const { read, shared, pass } = scene();
  shared.note('Pod', '7');
  pass(5000);
  expect((await read({ key: 'young' })).versions).toEqual(new Map([['Pod', '7']]));
  pass(1);
  expect((await read({ key: 'old' })).versions).toEqual(new Map());
  shared.note('Pod', '8');
  pass(-1);
  expect((await read({ key: 'set back' })).versions).toEqual(new Map());
});

it('an answer is read again after the clock was set back', async () => {
  const { read, pass } = scene();
  await read();
  pass(-1);
  expect(await read()).toMatchObject({ value: 2 });
});

it('a request that failed is sent again', async () => {
  const { shared } = scene();
  const by = { maxAge: 500 };
  await expect(shared.read('a', by, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await shared.read('a', by, async () => 'yes')).toMatchObject({ value: 'yes' });
});

it('keeps at most two thousand answers', async () => {
  const { read } = scene();
  await read({ key: 'first' });
  for (let i = 0; i < 2000; i++) await read({ key: `k${i}` });
  expect(await read({ key: 'k1999' })).toMatchObject({ value: 2001 });
  expect(await read({ key: 'first' })).toMatchObject({ value: 2002 });
});
