// Several pacers at one bucket at once: every slot once, a step apart, none beyond the horizon.
import { describe, expect, it } from 'vitest';
import { reserveSlots } from '../../lib/state/bucketRows.ts';
import { createInMemoryTable } from '../support/fakes/table.ts';

const now = 1_800_000_000_000;

describe('callers side by side', () => {
  it('share what the horizon holds', async () => {
    const state = { table: createInMemoryTable(), cluster: 'prod' };
    const request = { rate: { perSecond: 1, burst: 1 }, now, wanted: 50, horizon: 90_000 };
    const given = await Promise.all(Array.from({ length: 5 }, () => reserveSlots(state, 'rule|x', request)));
    const slots = given.flat().sort((a, b) => a - b);
    expect(slots).toEqual(Array.from({ length: 91 }, (_, i) => now + i * 1000));
  });

  it('get nothing more once it is full, until time has passed', async () => {
    const state = { table: createInMemoryTable(), cluster: 'prod' };
    const request = { rate: { perSecond: 2, burst: 3 }, now, wanted: 100, horizon: 1000 };
    expect(await reserveSlots(state, 'rule|x', request)).toEqual([-1000, -500, 0, 500, 1000].map((ms) => now + ms));
    expect(await reserveSlots(state, 'rule|x', request)).toEqual([]);
    expect(await reserveSlots(state, 'rule|x', { ...request, now: now + 600 })).toEqual([now + 1500]);
  });
});
