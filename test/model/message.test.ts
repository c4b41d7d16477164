// How long before its slot a message to the evictors is meant to come.
import { describe, expect, it } from 'vitest';
import { leadOf, meantFor } from '../../lib/model/message.ts';

describe('leadOf', () => {
  it.each([
    [undefined, 0],
    [0, 0],
    [1, 3000],
    [2, 6000],
    [3, 6000],
    [1000, 6000],
  ])('a message of a chain whose slots passed %s times comes %d ms before its slot', (late, lead) => {
    expect(leadOf(late === undefined ? {} : { late })).toBe(lead);
  });
});

it('a message is meant for the earliest of its slots, less its lead', () => {
  const task = (slot: number) => ({ pod: { namespace: 'ml', name: 'a', uid: 'u' }, slot });
  const tasks = [task(9000), task(8500), task(9400)];
  expect(meantFor({ tasks })).toBe(8500);
  expect(meantFor({ tasks, late: 1 })).toBe(5500);
});
