// Answers that the pods of one process share: how young they are, and in which order they came.
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

it('an answer is used again while it is young, and its age counts from when it was asked for', async () => {
  const { read, pass } = scene();
  expect(await read()).toMatchObject({ value: 1, readAt: 1000 });
  pass(500);
  expect(await read()).toMatchObject({ value: 1, readAt: 1000 });
  pass(1);
  expect(await read()).toMatchObject({ value: 2, readAt: 1501 });
});

it('who asks for a younger one gets a younger one', async () => {
  const { read, pass } = scene();
  await read();
  pass(300);
  expect(await read({ maxAge: 250 })).toMatchObject({ value: 2 });
});

it('all that ask at a time share one request', async () => {
  const { read } = scene();
  const answers = await Promise.all([read(), read(), read()]);
  expect(answers.map(({ value }) => value)).toEqual([1, 1, 1]);
});

it('other keys have answers of their own', async () => {
  const { read } = scene();
  expect([(await read()).value, (await read({ key: 'b' })).value]).toEqual([1, 2]);
});

it('a mark asks for what began after it, however young the last answer is', async () => {
  const { read, shared } = scene();
  const first = await read();
  const mark = shared.mark();
  const second = await read({ after: mark });
  expect([first.begun < first.ended, first.ended < mark, mark < second.begun]).toEqual([true, true, true]);
  expect([first.value, second.value]).toEqual([1, 2]);
});

it('an answer has the versions that had been noted when it was asked for, and none that came later', async () => {
  const { read, shared, pass } = scene();
  shared.note('Pod', '7');
  const asked = read();
  shared.note('Pod', '9');
  expect((await asked).versions).toEqual(new Map([['Pod', '7']]));
  shared.note('Pod', '8');
  pass(501);
  expect((await read()).versions).toEqual(new Map([['Pod', '8']]));
});

it('an answer has no version that was noted more than five seconds before, or before the clock went back', async () => {
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

it('an answer has no known age after the clock is set back, and is read again', async () => {
  const { read, pass } = scene();
  await read();
  pass(-1);
  expect(await read()).toMatchObject({ value: 2 });
});

it('what failed without an answer is asked for again', async () => {
  const { shared } = scene();
  const by = { maxAge: 500 };
  await expect(shared.read('a', by, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await shared.read('a', by, async () => 'yes')).toMatchObject({ value: 'yes' });
});

it('keeps no more than two thousand answers', async () => {
  const { read } = scene();
  await read({ key: 'first' });
  for (let i = 0; i < 2000; i++) await read({ key: `k${i}` });
  expect(await read({ key: 'k1999' })).toMatchObject({ value: 2001 });
  expect(await read({ key: 'first' })).toMatchObject({ value: 2002 });
});
