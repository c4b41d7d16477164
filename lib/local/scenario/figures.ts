// Figures of one run, computed from the requests that the API server received; pure.
import type { Instant, Milliseconds } from '../../model/time.ts';

/** One DELETE of a pod sent by Sluice, in order of receipt. */
export interface ReceivedDelete {
  readonly uid: string;
  readonly at: Instant;
  /** Status 2xx: the pod is terminating because of it. */
  readonly accepted: boolean;
}

/** A rule of the run and the pods that it should evict. */
export interface RuleOfRun {
  readonly name: string;
  readonly acceptedAt: Instant;
  readonly pods: ReadonlySet<string>;
  /** When the rule's deletion was accepted; only for the rule that is stopped halfway. */
  readonly stoppedAt?: Instant;
}

export interface Run {
  readonly nodes: number;
  readonly devices: number;
  readonly pods: number;
  readonly deletes: readonly ReceivedDelete[];
  readonly main: RuleOfRun;
  readonly stopped: RuleOfRun;
  readonly singles: readonly RuleOfRun[];
  readonly rate: { readonly perSecond: number; readonly burst: number };
}

export interface Figures {
  readonly ok: boolean;
  readonly nodes: number;
  readonly devices: number;
  readonly pods: number;
  readonly shouldEvict: number;
  readonly evicted: number;
  readonly wronglyEvicted: number;
  readonly missed: number;
  readonly duplicateDeletes: number;
  readonly limiter: {
    readonly ratePerSecond: number;
    readonly burst: number;
    readonly windowsChecked: number;
    readonly windowsAboveBound: number;
    /** Minimum lag of deletes behind their tokens that explains all windows under the bound on tokens. */
    readonly latenessMs: Milliseconds;
    readonly achievedPerSecond: number;
  };
  readonly firstDeleteMs: { readonly p50: Milliseconds; readonly p99: Milliseconds };
  readonly stopToLastDeleteMs: Milliseconds;
}

/** Requirements for exit status 0. */
export const requirements = {
  singleRules: 50,
  achievedShare: 0.95,
  firstDeleteMs: 100,
  stopToLastDeleteMs: 1000,
} as const;

/**
 * Maximum lag of a delete behind its token: the token is dropped after 0.8 s, and the request takes up to 0.2 s. In a window of
 * t seconds, the bound on deletes is burst + rate * (t + 1), and on tokens burst + rate * t.
 */
const lateness: Milliseconds = 1000;

export function figuresOf(run: Run): Figures {
  const accepted = new Map(run.deletes.filter((one) => one.accepted).map((one) => [one.uid, one.at]));
  const shouldEvict = new Set([run.main, ...run.singles].flatMap((rule) => [...rule.pods]));
  const stopToLastDeleteMs = stopLatency(run, accepted);
  const mayGo = (uid: string, at: Instant) =>
    shouldEvict.has(uid) ||
    (run.stopped.pods.has(uid) && at <= (run.stopped.stoppedAt ?? Infinity) + requirements.stopToLastDeleteMs);
  const evicted = [...shouldEvict].filter((uid) => accepted.has(uid)).length;
  const figures = {
    nodes: run.nodes,
    devices: run.devices,
    pods: run.pods,
    shouldEvict: shouldEvict.size,
    evicted,
    wronglyEvicted: [...accepted].filter(([uid, at]) => !mayGo(uid, at)).length,
    missed: shouldEvict.size - evicted,
    duplicateDeletes: run.deletes.length - new Set(run.deletes.map((one) => one.uid)).size,
    limiter: limiterFigures(run, accepted),
    firstDeleteMs: firstDeletes(run, accepted),
    stopToLastDeleteMs,
  };
  return { ok: isOk(run, figures), ...figures };
}

function isOk(run: Run, figures: Omit<Figures, 'ok'>): boolean {
  const { limiter } = figures;
  return (
    figures.shouldEvict > 0 &&
    figures.wronglyEvicted + figures.missed + figures.duplicateDeletes + limiter.windowsAboveBound === 0 &&
    run.singles.length >= requirements.singleRules &&
    limiter.windowsChecked > 0 &&
    limiter.achievedPerSecond >= requirements.achievedShare * run.rate.perSecond &&
    figures.firstDeleteMs.p50 < requirements.firstDeleteMs &&
    figures.stopToLastDeleteMs < requirements.stopToLastDeleteMs
  );
}

/** Milliseconds from the accepted stop to the last delete of that rule's pods; 0 if none followed. */
function stopLatency(run: Run, accepted: ReadonlyMap<string, Instant>): Milliseconds {
  const stoppedAt = run.stopped.stoppedAt ?? Number.POSITIVE_INFINITY;
  const last = Math.max(0, ...timesOf(run.stopped, accepted));
  return rounded(Math.max(0, last - stoppedAt));
}

function limiterFigures(run: Run, accepted: ReadonlyMap<string, Instant>): Figures['limiter'] {
  const { perSecond, burst } = run.rate;
  const windows = [run.main, run.stopped, ...run.singles].flatMap((rule) => windowsOf(timesOf(rule, accepted)));
  const late = windows.map(({ count, length }) => ((count - burst) * 1000) / perSecond - length);
  return {
    ratePerSecond: perSecond,
    burst,
    windowsChecked: windows.length,
    windowsAboveBound: late.filter((one) => one > lateness).length,
    latenessMs: rounded(late.reduce((most, one) => Math.max(most, one), 0)),
    achievedPerSecond: achieved(timesOf(run.main, accepted), burst),
  };
}

/** Windows between every pair of deletes of one limiter. */
export function windowsOf(
  times: readonly Instant[],
): readonly { readonly count: number; readonly length: Milliseconds }[] {
  return times.flatMap((start, i) => times.slice(i + 1).map((end, k) => ({ count: k + 2, length: end - start })));
}

/** Deletes per second after the burst, while pods were pending. */
function achieved(times: readonly Instant[], burst: number): number {
  const [from, to] = [times[burst - 1], times.at(-1)];
  if (from === undefined || to === undefined || to <= from) return 0;
  return rounded(((times.length - burst) * 1000) / (to - from));
}

function firstDeletes(run: Run, accepted: ReadonlyMap<string, Instant>): Figures['firstDeleteMs'] {
  const latencies = run.singles.flatMap((rule) => {
    const first = timesOf(rule, accepted)[0];
    return first === undefined ? [] : [first - rule.acceptedAt];
  });
  const sorted = latencies.toSorted((a, b) => a - b);
  return { p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99) };
}

function timesOf(rule: RuleOfRun, accepted: ReadonlyMap<string, Instant>): readonly Instant[] {
  return [...rule.pods].flatMap((uid) => accepted.get(uid) ?? []).sort((a, b) => a - b);
}

function quantile(sorted: readonly number[], share: number): number {
  const value = sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)];
  return value === undefined ? Number.POSITIVE_INFINITY : rounded(value);
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
