// The figures of a run are computed from received deletes alone, and every broken promise shows in one of them.
import { describe, expect, it } from 'vitest';
import { figuresOf, type ReceivedDelete, type RuleOfRun, type Run } from '../../lib/local/scenario/figures.ts';

const rate = { perSecond: 10, burst: 10 };

function uids(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => `${prefix}-${i}`);
}

/** Deletes of a limiter exactly at its rate: the burst at once, then one each 100 ms. */
function paced(pods: readonly string[], start: number): ReceivedDelete[] {
  return pods.map((uid, i) => ({ uid, at: start + Math.max(0, i - 9) * 100, accepted: true }));
}

function goodRun(): Run {
  const singles: RuleOfRun[] = uids('single', 50).map((uid, i) => ({
    name: uid,
    acceptedAt: i * 100,
    pods: new Set([uid]),
  }));
  const main = { name: 'main', acceptedAt: 10_000, pods: new Set(uids('main', 60)) };
  const stopped = { name: 'stopped', acceptedAt: 10_000, pods: new Set(uids('stopped', 90)), stoppedAt: 12_000 };
  const deletes = [
    ...singles.map((rule, i) => ({ uid: `single-${i}`, at: rule.acceptedAt + 50, accepted: true })),
    ...paced(uids('main', 60), 10_050),
    ...paced(uids('stopped', 25), 10_050),
  ];
  return { nodes: 60, devices: 480, pods: 400, deletes, main, stopped, singles, rate };
}

describe('figures of a run', () => {
  it('a run that keeps every promise is ok', () => {
    const figures = figuresOf(goodRun());
    expect(figures).toMatchObject({
      ok: true,
      shouldEvict: 110,
      evicted: 110,
      missed: 0,
      wronglyEvicted: 0,
      duplicateDeletes: 0,
    });
    expect(figures.limiter).toMatchObject({ windowsAboveBound: 0, latenessMs: 0, achievedPerSecond: 10 });
    expect(figures.firstDeleteMs).toEqual({ p50: 50, p99: 50 });
  });

  const spoiled: readonly [string, (run: Run) => Run, object][] = [
    [
      'a pod that stays is missed',
      (run) => ({ ...run, deletes: run.deletes.filter((one) => one.uid !== 'main-3') }),
      { missed: 1 },
    ],
    [
      'a bystander that is evicted is wrong',
      (run) => extra(run, { uid: 'bystander', at: 1, accepted: true }),
      { wronglyEvicted: 1 },
    ],
    [
      'a pod deleted long after the stop is wrong',
      (run) => extra(run, { uid: 'stopped-80', at: 13_500, accepted: true }),
      { wronglyEvicted: 1, stopToLastDeleteMs: 1500 },
    ],
    [
      'a second DELETE counts even when refused',
      (run) => extra(run, { uid: 'main-3', at: 20_000, accepted: false }),
      { duplicateDeletes: 1 },
    ],
    [
      'a slow first delete shows',
      (run) => ({ ...run, singles: run.singles.map((rule) => ({ ...rule, acceptedAt: rule.acceptedAt - 100 })) }),
      { firstDeleteMs: { p50: 150, p99: 150 } },
    ],
    [
      'too few single-pod rules are no measurement',
      (run) => ({
        ...run,
        singles: run.singles.slice(0, 49),
        deletes: run.deletes.filter((one) => one.uid !== 'single-49'),
      }),
      {},
    ],
  ];
  it.each(spoiled)('a run that breaks a promise is not ok: %s', (_, spoil, expected) => {
    expect(figuresOf(spoil(goodRun()))).toMatchObject({ ok: false, ...expected });
  });

  it('deletes above the bound are counted by window', () => {
    const run = goodRun();
    const deletes = run.deletes.map((one) => (one.uid.startsWith('main') ? { ...one, at: 10_050 } : one));
    expect(figuresOf({ ...run, deletes }).limiter.windowsAboveBound).toBeGreaterThan(0);
  });

  it('a limiter below 95 % of its rate is not ok', () => {
    const run = goodRun();
    const deletes = run.deletes.map((one) =>
      one.uid.startsWith('main') ? { ...one, at: 10_050 + (one.at - 10_050) * 1.1 } : one,
    );
    expect(figuresOf({ ...run, deletes })).toMatchObject({ ok: false, missed: 0 });
  });
});

function extra(run: Run, one: ReceivedDelete): Run {
  return { ...run, deletes: [...run.deletes, one] };
}
