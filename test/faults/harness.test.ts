// Checks of the fault harness: a history is the same each time, one without faults passes, and violations are noticed.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createInMemoryTable } from '../support/fakes/table.ts';
import type { DeleteRequest } from './deleteLog.ts';
import { historyOf } from './generate.ts';
import { type Action, type History, noLuckNeeded, type PacedSelector } from './history.ts';
import type { Oracle } from './oracle.ts';
import { createPaceLog, slackOf } from './paceLog.ts';
import { type Players, startPlayers } from './players.ts';
import { createRandom } from './random.ts';
import { smaller } from './shrink.ts';
import { createTableCopies } from './tableCopies.ts';
import { unfinishedWork } from './unfinishedWork.ts';

describe('a history', () => {
  let players: Players;
  beforeAll(async () => {
    players = await startPlayers(1);
  });
  afterAll(() => players.stop());

  it('a history is played the same way each time', { timeout: 240_000 }, async () => {
    const history = historyOf(7);
    const [first, second] = [await players.play(history, true), await players.play(history, true)];
    expect(second.trace).toEqual(first.trace);
    expect(first.trace.length).toBeGreaterThan(50);
  });

  it('a history without faults evicts the pods that are due and violates no law', {
    timeout: 240_000,
  }, async () => {
    const taint: History = {
      seed: 1,
      watchers: 1,
      comesBack: false,
      luck: noLuckNeeded,
      length: 60_000,
      events: [
        { at: 1000, action: { do: 'Pod', pod: 0, device: 0 } },
        { at: 1000, action: { do: 'Pod', pod: 1, device: 2 } },
        { at: 9000, action: { do: 'Taint', device: 0 } },
      ],
    };
    const outcome = await players.play(taint);
    expect(outcome).toMatchObject({ violations: [], deletes: 1 });
  });
});

describe('PacedTaintRules of a history', () => {
  let players: Players;
  beforeAll(async () => {
    players = await startPlayers(1);
  });
  afterAll(() => players.stop());

  it.each<[string, PacedSelector, Action]>([
    ['an attribute', { model: 'old' }, { do: 'Class' }],
    ['a DeviceClass', { class: true }, { do: 'Class', model: 'old' }],
  ])(
    'a rule by %s evicts the pods of its devices, but none whose claim tolerates its taint',
    {
      timeout: 240_000,
    },
    async (_, selector, definition) => {
      const actions: readonly Action[] = [
        ...[0, 1, 2].map((index): Action => ({ do: 'Pod', pod: index, device: index })),
        { do: 'Annotate', pod: 1, tolerates: 'Everything' },
        definition,
        ...[0, 1].map((device): Action => ({ do: 'Attribute', device, model: 'old' })),
        { do: 'Paced', rule: 0, selector },
      ];
      const outcome = await players.play({
        seed: 2,
        watchers: 1,
        comesBack: false,
        luck: noLuckNeeded,
        length: 60_000,
        events: actions.map((action, i) => ({ at: 1000 * (1 + i), action })),
      });
      expect(outcome).toMatchObject({ violations: [], deletes: 1 });
    },
  );
});

describe('copies of the table', () => {
  it('a history puts its table back to the newest copy that is old enough', async () => {
    const due: { at: number; run: () => void }[] = [];
    let now = 0;
    const time = { now: () => now, at: (at: number, run: () => void) => void due.push({ at, run }) };
    const table = createInMemoryTable();
    const copies = createTableCopies({ time, table });
    copies.begin(() => now >= 20_000);
    for (now = 0; now <= 40_000; now += 5000) {
      for (const one of due.filter(({ at }) => at === now)) one.run();
      await table.write({ kind: 'Put', row: { pk: 'p', sk: 's', at: now } });
    }
    await table.write({ kind: 'Put', row: { pk: 'p', sk: 'later' } });
    now = 40_000;
    expect(copies.restore(50_000)).toBeUndefined();
    expect(copies.restore(15_000)).toMatchObject({ at: 20_000, isPaused: true });
    expect(table.rows()).toEqual([{ pk: 'p', sk: 's', at: 15_000 }]);
    expect(copies.lost).toEqual([{ from: 20_000, until: 40_000 }]);
  });
});

describe('random numbers', () => {
  it('random numbers depend on the seed alone', () => {
    const draw = (seed: number) => Array.from({ length: 5 }, createRandom(seed).next);
    expect(draw(3)).toEqual(draw(3));
    expect(draw(3)).not.toEqual(draw(4));
  });

  it('random numbers of one part do not change those of another', () => {
    const random = createRandom(3);
    const before = random.fork('watchers').next();
    random.next();
    expect(random.fork('watchers').next()).toBe(before);
    expect(random.fork('cluster').next()).not.toBe(before);
  });
});

describe('the law of the rate', () => {
  const limiter = 'rule|uid';
  const pace = { perSecond: 1, burst: 2 };
  const oracle = { limiters: () => new Set([limiter]), rateOf: () => pace } as unknown as Oracle;
  const deletesAt = (...times: readonly number[]) =>
    times.map((at): DeleteRequest => {
      return { uid: `${at}`, pod: 'ml/a', sentAt: at, arrivedAt: at, took: true, because: [limiter] };
    });
  const lawsBroken = (deletes: readonly DeleteRequest[]) => {
    const log = createPaceLog(oracle, { now: () => 0, slack: slackOf(0, 0), incarnation: () => 'uid' });
    log.note();
    return log.violations(deletes).map(({ law }) => law);
  };

  it('the law of the rate allows the burst, and what accrues within the window and a second of lateness', () => {
    expect(lawsBroken(deletesAt(10_000, 10_000, 10_000, 11_000, 12_000))).toEqual([]);
  });

  it('one delete above the burst violates the law of the rate', () => {
    expect(lawsBroken(deletesAt(10_000, 10_000, 10_000, 10_000))).toEqual(['keeps the pace']);
  });
});

describe('a smaller history', () => {
  it('a smaller history has one fault, one event or one watcher less', () => {
    const history = historyOf(7);
    const size = ({ events, luck, watchers }: History) =>
      events.length + watchers + Object.values(luck).filter((one) => one !== 0).length;
    const candidates = smaller(history);
    expect(candidates.length).toBeGreaterThan(history.events.length);
    for (const one of candidates)
      expect(size(one) + Number(one.comesBack)).toBeLessThan(size(history) + Number(history.comesBack));
  });
});

describe('unfinished work', () => {
  const now = 10_000_000;
  const entry = (kind: string, more: object = {}) => ({
    pk: `c@1#${kind}`,
    sk: 'limiter',
    due: 'c@1#DUE#0',
    dueAt: now + 50_000,
    ...more,
  });
  const pod = { pk: 'c@1#POD#0', sk: 'ns/p', mirror: 'Live', uid: 'uid-p' };
  const listing = { pk: 'c@1#LIMITER#limiter', sk: 'P#1', uid: 'uid-p' };

  it.each([
    ['an entry of the mirror, whenever it is due', [entry('POD#0')], 1],
    ['an eviction under way', [entry('RECORD#uid')], 1],
    ['a report that is late', [entry('REPORT', { reportAt: now - 200_000 })], 1],
    ['no report that is on its way', [entry('REPORT', { reportAt: now - 5000 })], 0],
    ['a plan that was not counted again', [entry('PLANS', { at: now - 200_000 })], 1],
    ['no plan that was counted', [entry('PLANS', { at: now - 15_000 })], 0],
    ['a limiter that is overdue', [entry('LIMITERS', { dueAt: now - 200_000 })], 1],
    ['no limiter that is looked at again', [entry('LIMITERS'), pod, listing], 0],
    ['a listing at a limiter that no sweep looks at', [pod, listing], 1],
    ['a listing of a pod that is gone', [entry('LIMITERS'), { ...pod, mirror: 'Gone' }, listing], 1],
  ] as const)('the end of a history finds unfinished work: %s', (_, rows, count) => {
    expect(unfinishedWork(rows, now)).toHaveLength(count);
  });
});
