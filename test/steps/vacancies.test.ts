// Slots that pods leave for earlier ones of another taint are given again, so that each taint keeps its rate while pods wait.
import { describe, expect, it } from 'vitest';
import type { Reservation } from '../../lib/model/eviction.ts';
import type { DeviceTaintRule } from '../../lib/model/objects.ts';
import { occupy, readVacancies, vacate } from '../../lib/state/vacancyRows.ts';
import { aRule } from '../support/objects.ts';
import { keepsPace, type Sets, setsOf, start } from '../support/sets.ts';

const rule = (name: string, rate: number): DeviceTaintRule =>
  aRule(name, start, {
    deviceSelector: { driver: 'gpu.example.com', pool: 'a' },
    annotations: { 'sluice.dev/evictions-per-second': String(rate), 'sluice.dev/burst': '1' },
  });

/** The slots that deletes were charged to at one rule's limiter, ascending. */
function slotsOf({ world }: Sets, name: string): readonly number[] {
  const charged = world.table.rows().flatMap(({ pk, reservation }) => {
    return pk.includes('#RECORD#') ? [reservation as Reservation] : [];
  });
  return charged
    .filter(({ limiter }) => limiter === `rule|uid-${name}`)
    .map(({ slot }) => slot)
    .sort((a, b) => a - b);
}

function spacing(slots: readonly number[]): number {
  return Math.min(...slots.slice(1).map((slot, i) => slot - (slots[i] ?? 0)));
}

const pair = (first: number, second: number, pods: number) => ({ first, second, pods });

describe('two taints on the same pods, the second five seconds after the first', () => {
  // Pods beyond what either gives out ahead; pods that all have slots; one rate far above the other.
  it.each([pair(2, 10, 900), pair(10, 2, 900), pair(5, 5, 900), pair(1, 20, 1500), pair(0.5, 3, 400)])(
    'let pods go at no less than 95 %% of both rates together while pods wait, and use no slot twice: %o',
    async ({ first, second, pods }) => {
      const sets = await setsOf({ a: { pods } });
      await sets.write(rule('one', first));
      await sets.run(5);
      await sets.write(rule('two', second));
      await sets.run(60);
      const went = sets.gone('a').filter((at) => at >= 5000 && at < 65_000).length;
      expect(went).toBeGreaterThanOrEqual(0.95 * (first + second) * 60);
      expect(keepsPace(sets.gone('a'), { perSecond: first + second, burst: 2 })).toBe(true);
      expect(spacing(slotsOf(sets, 'one'))).toBeGreaterThanOrEqual(1000 / first);
      expect(spacing(slotsOf(sets, 'two'))).toBeGreaterThanOrEqual(1000 / second - 0.001);
    },
    60_000,
  );

  it('give nothing again that was left before a change of pace, even if the pace comes back', async () => {
    const sets = await setsOf({ a: { pods: 600 } });
    await sets.write(rule('one', 2));
    await sets.run(5);
    await sets.write(rule('two', 5));
    await sets.run(3);
    await sets.write(rule('one', 1));
    await sets.run(2);
    await sets.write(rule('one', 2));
    await sets.run(60);
    expect(new Set(slotsOf(sets, 'one')).size).toBe(slotsOf(sets, 'one').length);
    expect(keepsPace(sets.gone('a'), { perSecond: 7, burst: 2 })).toBe(true);
  });
});

describe('a slot that was left', () => {
  const left: Reservation = { limiter: 'rule|x', epoch: 1, slot: start + 5000.5, reservedAt: start, series: 3 };

  it('goes to one of those who ask for it', async () => {
    const { world } = await setsOf({});
    await world.table.write(vacate(world, left));
    expect(await readVacancies(world, 'rule|x', { now: start, series: 3, most: 5 })).toEqual([
      { limiter: 'rule|x', slot: start + 5000.5 },
    ]);
    const vacancy = { limiter: 'rule|x', slot: start + 5000.5 };
    expect((await world.table.write(occupy(world, vacancy))).kind).toBe('Written');
    expect((await world.table.write(occupy(world, vacancy))).kind).toBe('Lost');
    expect(await readVacancies(world, 'rule|x', { now: start, series: 3, most: 5 })).toEqual([]);
  });

  it('is none of another series, of another limiter, or of the past', async () => {
    const { world } = await setsOf({});
    await world.table.write(vacate(world, left));
    const by = { now: start, series: 3, most: 5 };
    expect(await readVacancies(world, 'rule|x', { ...by, series: 4 })).toEqual([]);
    expect(await readVacancies(world, 'rule|y', by)).toEqual([]);
    expect(await readVacancies(world, 'rule|x', { ...by, now: start + 5001 })).toEqual([]);
    expect(await readVacancies(world, 'rule|x', { ...by, now: start + 5000 })).toHaveLength(1);
  });
});
