// The picture in a terminal: it fits, it works without colour, and names cannot inject control codes.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderBar } from '../../lib/view/bar.ts';
import { inkOf, visibleLength } from '../../lib/view/ink.ts';
import type { LimiterProgress } from '../../lib/view/progress.ts';
import { renderTerminal } from '../../lib/view/terminal.ts';
import { renderPlainLine, renderSummary } from '../../lib/view/terminalSummary.ts';
import { aLimiter, aPicture, at } from './pictures.ts';

const count = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 200_000 }));
const counts = fc.record({ evicted: count, deleting: count, pending: count, waiting: count });
const states = fc.constantFrom('Evicting', 'Waiting', 'Completed', 'NotStarted', 'Stopped', 'NoEffect');
const limiter = fc
  .record({ name: fc.string({ minLength: 1, maxLength: 80 }), counts, state: states, isPartial: fc.boolean() })
  .map((by) => aLimiter({ ...by, total: Object.values(by.counts).reduce((sum, one) => sum + one, 0) }));

describe('the terminal picture', () => {
  it('the picture fits any width and height, with and without colour', () => {
    const look = fc.record({
      width: fc.integer({ min: 20, max: 200 }),
      height: fc.integer({ min: 4, max: 60 }),
      color: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(limiter, { maxLength: 12 }), look, (limiters, by) => {
        const lines = renderTerminal(aPicture({ limiters }), by);
        expect(lines.length).toBeLessThanOrEqual(by.height);
        for (const line of lines) expect(visibleLength(line)).toBeLessThanOrEqual(by.width);
        if (!by.color) for (const line of lines) expect(line).not.toMatch(/\p{Cc}/u);
      }),
    );
  });

  it('the picture has the same text with colours as without', () => {
    const strip = (line: string) => line.replaceAll(/\p{Cc}\[[0-9;]*m/gu, '');
    const look = { width: 110, height: 20 };
    const colored = renderTerminal(aPicture(), { ...look, color: true });
    expect(colored.map(strip)).toEqual(renderTerminal(aPicture(), { ...look, color: false }));
    expect(colored).not.toEqual(colored.map(strip));
  });

  it.each([
    [
      120,
      'bad-gpus  Evicting  ████████████▓▓▓▓▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒░░░░  30 %  30 evicted  70 to go  next 0.1 s  3 min 20 s left',
    ],
    [80, 'bad-gpus  Evicting  █████▓▓▒▒▒▒▒▒▒░  30 %  30 evicted  70 to go  3 min 20 s left'],
    [60, 'bad-gpus  █████▓▓▒▒▒▒▒▒▒░  30 %  30 evicted  3 min 20 s left'],
    [45, 'bad-gpus  ████▓▒▒▒▒▒▒░  30 %  3 min 20 s left'],
    [40, 'bad-gpus  ███████▓▓▓▒▒▒▒▒▒▒▒▒▒▒▒░░  30 %'],
  ])('the line of a rule at %i columns keeps the most important parts', (width, line) => {
    expect(renderTerminal(aPicture(), { width, color: false })[3]).toBe(line);
  });

  it.each([0, 40, -5000])(
    'a rule that still has pods is never shown with 0.0 s left, here %i ms before its end',
    (left) => {
      const progress = aPicture({ limiters: [aLimiter({ finishAt: aPicture().at + left })] });
      expect(renderTerminal(progress, { width: 80, color: false })[3]).toMatch(/ 0\.1 s left$/);
      expect(renderPlainLine(progress)).toContain(', 0.1 s left');
    },
  );

  it('the last line counts the rules that do not fit', () => {
    const limiters = Array.from({ length: 30 }, (_, i) => aLimiter({ name: `rule-${i}` }));
    expect(renderTerminal(aPicture({ limiters }), { width: 80, height: 10, color: false }).at(-1)).toBe(
      'and 24 more rules: 24 evicting; 720 pods evicted',
    );
  });

  it('rules that do not fit are counted by state, and no count is cut at the edge of a terminal of any width', () => {
    const states = [
      ...Array(30).fill({}),
      ...Array(20).fill({ heldBecause: 'x' }),
      ...Array(10).fill({ state: 'Waiting' }),
    ];
    const limiters = states.map((one, i) => aLimiter({ limiter: `rule|${i}`, name: `r${i}`, ...one }));
    const lastLine = (width: number) =>
      renderTerminal(aPicture({ limiters, last: [] }), { width, height: 24, color: false }).at(-1);
    expect(lastLine(79)).toBe('and 40 more rules: 10 evicting, 20 held, 10 waiting; 1,200 pods evicted');
    expect(lastLine(60)).toBe('and 40 more rules: 10 evicting, 20 held, 10 waiting');
    expect(lastLine(40)).toBe('and 40 more rules');
  });

  it('the pace of a rule that evicts stays on the screen beside many finished rules', () => {
    const finished = Array.from({ length: 30 }, (_, i) => aLimiter({ name: `done-${i}`, state: 'Completed' }));
    const limiters = [aLimiter({ name: 'moving' }), ...finished];
    for (const height of [14, 23, 39, 59])
      expect(renderTerminal(aPicture({ limiters }), { width: 80, height, color: false }).join('\n')).toMatch(
        /moving +Evicting.*\n {2}\d+\.\d\/s of \d+\/s allowed/,
      );
  });

  it('finished rules give way to the reason of a held rule, its pods to go, and the last evictions', () => {
    const heldBecause = 'Held by the observer: 60 % of the pool was tainted at once: see EvictionPolicy canary-first';
    const counts = { evicted: 0, deleting: 0, pending: 0, waiting: 13 };
    const held = aLimiter({ name: 'tpu.example.com', state: 'Waiting', heldBecause, counts, total: 13 });
    const took = { done: { pods: 56, took: 130_000, missed: 0 }, counts: { ...counts, evicted: 56, waiting: 0 } };
    const finished = Array.from({ length: 5 }, (_, i) =>
      aLimiter({ name: `bad-driver-${i}`, state: 'Completed', total: 56, ...took }),
    );
    for (const height of [11, 12, 14]) {
      const text = renderTerminal(aPicture({ limiters: [held, ...finished] }), { width: 80, height, color: false });
      expect(text.join('\n')).toMatch(
        /tpu\.example\.com +Held.* 13 to go[\s\S]*see\s+EvictionPolicy canary-first\n[\s\S]*Last evictions\n\d/,
      );
    }
  });

  const atWork = (name: string, left: number, by: Partial<LimiterProgress> = {}) =>
    aLimiter({
      limiter: `rule|${name}`,
      name,
      counts: { evicted: 1, deleting: 0, pending: left, waiting: 0 },
      total: left + 1,
      finishAt: at + 130_000,
      ...by,
    });
  const heldBecause = 'PacedTaintRule everything-soon. Its rate is 0 (spec.rate.perSecond)';
  const completed = ['old-firmware', 'mine', 'bad-driver'].map((name) =>
    aLimiter({
      limiter: `rule|${name}`,
      name,
      state: 'Completed',
      counts: { evicted: 47, deleting: 0, pending: 0, waiting: 0 },
      total: 47,
      done: { pods: 47, took: 17_000, missed: 0 },
    }),
  );

  it('each rule at work shows its pods to go at 80 columns', () => {
    const limiters = [atWork('everything-soon', 159, { heldBecause }), atWork('xid-errors', 5), ...completed];
    const text = renderTerminal(aPicture({ limiters }), { width: 80, height: 30, color: false }).join('\n');
    expect(text).toMatch(/everything-soon .* 159 to go/);
    expect(text).toMatch(/xid-errors .* 5 to go/);
  });

  it.each([11, 12, 14])(
    'three rules at work show their pods to go and the last eviction in %i lines, and finished rules give way',
    (height) => {
      const three = [
        atWork('everything-soon', 159, { heldBecause }),
        atWork('xid-errors', 5),
        atWork('broken-gpus', 8),
      ];
      const limiters = [...three, ...completed];
      const text = renderTerminal(aPicture({ limiters }), { width: 80, height, color: false }).join('\n');
      expect(text).toMatch(/159 to go[\s\S]*Its rate is 0[\s\S]* 5 to go[\s\S]* 8 to go[\s\S]*Last evictions\n\d/);
    },
  );

  it.each([10, 11, 12])('a hold and a finished rule leave a line of %i for the last eviction', (height) => {
    const long = `Held by the observer: 60 % of the pool was tainted at once. ${'See EvictionPolicy agents-in-doubt. '.repeat(3)}`;
    const limiters = [atWork('tpu.example.com', 13, { heldBecause: long }), ...completed.slice(2)];
    const lines = renderTerminal(aPicture({ limiters }), { width: 80, height, color: false });
    expect(lines.slice(3).join('\n')).toMatch(/13 to go[\s\S]*Last evictions\n\d/);
  });

  it('a reason that holds several rules is said once where lines are short', () => {
    const because = `EvictionStop maintenance: ${'all of row 7 is being recabled; '.repeat(4)}`;
    const limiters = ['a', 'b', 'c'].map((name) => atWork(name, 5, { heldBecause: because }));
    const text = renderTerminal(aPicture({ limiters }), { width: 80, height: 11, color: false }).join('\n');
    expect(text.match(/EvictionStop maintenance/g)).toHaveLength(1);
    expect(text).toMatch(/Last evictions\n\d/);
  });

  it('a short list of evictions leaves its lines to the notes of finished rules', () => {
    const finished = ['a', 'b', 'c'].map((name) =>
      aLimiter({ name, state: 'Completed', done: { pods: 4, took: 2000, missed: 0 } }),
    );
    const { last } = aPicture();
    const picture = aPicture({ limiters: finished, last: last.slice(0, 1) });
    const text = renderTerminal(picture, { width: 80, height: 13, color: false }).join('\n');
    expect(text.match(/done: 4 pods/g)).toHaveLength(3);
  });

  it('a name cannot inject control characters', () => {
    const limiters = [aLimiter({ name: '\u001b[2J\u001b]0;x\u0007\u202eevil' })];
    const picture = aPicture({ cluster: '\u001b[31m', limiters });
    const all = [
      ...renderTerminal(picture, { width: 120, color: false }),
      ...renderSummary(picture, { color: false }),
      renderPlainLine(picture),
    ].join('');
    expect(all).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });
});

describe('a bar', () => {
  it('a bar has exactly its length and shows every count that is not zero', () => {
    fc.assert(
      fc.property(counts, fc.integer({ min: 6, max: 80 }), fc.nat(1000), (pods, cells, kept) => {
        const total = Object.values(pods).reduce((sum, one) => sum + one, kept);
        const bar = renderBar(pods, { cells, total, ink: inkOf(false) });
        expect([...bar]).toHaveLength(cells);
        for (const [shape, kind] of Object.entries({ '█': 'evicted', '▓': 'deleting', '▒': 'pending', '░': 'waiting' }))
          expect(bar.includes(shape)).toBe(pods[kind as keyof typeof pods] > 0);
      }),
    );
  });
});

describe('the summary and the plain line', () => {
  it('the summary says how many pods were evicted, are left and were kept', () => {
    const limiters = [
      aLimiter(),
      aLimiter({
        name: 'mistake',
        state: 'Stopped',
        counts: { evicted: 57, deleting: 0, pending: 0, waiting: 0 },
        kept: 48,
      }),
      aLimiter({
        name: 'quiet',
        state: 'NotStarted',
        total: 0,
        counts: { evicted: 0, deleting: 0, pending: 0, waiting: 0 },
      }),
    ];
    expect(renderSummary(aPicture({ limiters }), { color: false })).toEqual([
      'Evicted from prod',
      '  mistake: stopped, 57 pods evicted, 48 kept',
      '  bad-gpus: evicting, 30 pods evicted, 70 left',
    ]);
  });

  it.each([
    [aPicture(), '09:30:00 bad-gpus 30 of 100 evicted, 3 min 20 s left'],
    [aPicture({ limiters: [] }), '09:30:00 30 evicted in the last 10 min, no pod left'],
    [aPicture({ limiters: [], watcher: { isAlive: false } }), '09:30:00 no heartbeat from the watcher yet'],
  ])('the plain line sums up a picture for a log', (picture, line) => expect(renderPlainLine(picture)).toBe(line));

  it('the plain line of a held rule gives the reason', () => {
    const { finishAt: _, ...rest } = aLimiter({ heldBecause: 'its rate is 0' });
    expect(renderPlainLine(aPicture({ limiters: [rest], at }))).toContain('held: its rate is 0');
  });
});
