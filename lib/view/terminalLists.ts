// Below the bars of a terminal: what a rule did or waits for, and the last evictions with their reasons.
import { type Ink, printable } from './ink.ts';
import type { LastEviction, LimiterProgress } from './progress.ts';
import { clockText, countText, durationText, numberText } from './words.ts';

/** `45 pods in 11.2 s, 4/s, 0 missed`. */
export function doneText({ pods, took, missed }: NonNullable<LimiterProgress['done']>): string {
  const pace = took > 0 ? `${numberText(Math.round((pods * 10_000) / took) / 10)}/s, ` : '';
  return `${countText(pods, 'pod')} in ${durationText(took)}, ${pace}${numberText(missed)} missed`;
}

/** `undefined` where the line of the rule says it all. */
export function noteOf(limiter: LimiterProgress | undefined, ink: Ink): string | undefined {
  if (!limiter) return undefined;
  const { heldBecause, done, state } = limiter;
  if (heldBecause !== undefined) return `  ${ink.yellow(`held: ${printable(heldBecause)}`)}`;
  if (done && state === 'Completed') return `  ${ink.green(`done: ${doneText(done)}`)}`;
  if (state === 'Evicting') return `  ${ink.dim(paceText(limiter))}`;
  return undefined;
}

/** Seconds over which the pace is measured. */
const paceSeconds = 5;

function paceText({ perSecond, rate, selector, taint }: LimiterProgress): string {
  const lately = perSecond.slice(-paceSeconds);
  const pace = lately.reduce((sum, one) => sum + one, 0) / Math.max(1, lately.length);
  const limit = `${numberText(Math.round(pace * 10) / 10)}/s of ${numberText(rate.perSecond)}/s allowed`;
  return `${limit} · ${printable(taint)} on ${printable(selector)}`;
}

interface Lists {
  readonly width: number;
  /** Lines at most, heading and empty line included. */
  readonly height: number;
  readonly ink: Ink;
}

/** The empty line and the heading. */
export const aroundList = 2;

/** Newest first; nothing where no eviction fits below the heading. */
export function renderLastLines(last: readonly LastEviction[], { width, height, ink }: Lists): readonly string[] {
  if (height <= aroundList) return [];
  const shown = last.slice(0, height - aroundList);
  const names = shown.map(({ pod }) => printable(`${pod.namespace}/${pod.name}`));
  const widest = Math.min(Math.floor(width * 0.4), Math.max(0, ...names.map((one) => one.length)));
  const lines = shown.map(({ at, node = '', source, taint, outcome }, i) => {
    const name = (names[i] ?? '').slice(0, widest).padEnd(widest);
    const how = outcome === 'evicted' ? '' : ` (${outcome})`;
    return `${ink.dim(clockText(at))}  ${name}  ${ink.dim(printable(node))}  ${printable(source)} ${ink.dim(printable(taint))}${how}`;
  });
  return ['', ink.bold('Last evictions'), ...lines];
}
