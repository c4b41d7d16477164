// Columns around the terminal bars, and which of them a narrow terminal omits.
import type { Instant } from '../model/time.ts';
import type { Ink } from './ink.ts';
import type { LimiterProgress } from './progress.ts';
import { shownName } from './shownName.ts';
import { stateWord } from './stateLabel.ts';
import { durationText, numberText, percentDone } from './words.ts';

export type ColumnName = 'rule' | 'state' | 'percent' | 'evicted' | 'toGo' | 'next' | 'time';

export interface Column {
  readonly name: ColumnName;
  /** Position relative to the bar. */
  readonly side: 'before' | 'after';
  /** One text per line. */
  readonly texts: readonly string[];
  /** Columns with the highest number are omitted first; 0: never. */
  readonly dispensable: number;
  readonly align: 'left' | 'right';
  readonly paint?: (text: string, row: number) => string;
  /** Width of the widest text. */
  readonly width: number;
}

interface Around {
  readonly now: Instant;
  readonly width: number;
  readonly ink: Ink;
}

/**
 * The columns of the widest layout that fits. Texts that others imply are shortened or omitted where they would take the place of a
 * column, above all of the pods to go.
 */
export function limiterColumns(limiters: readonly LimiterProgress[], around: Around): Layout {
  const [full, short, ...shorter] = brevities.map((brevity) =>
    columnsThatFit(allColumns(limiters, { ...around, brevity }), around.width),
  ) as [Layout, Layout, ...Layout[]];
  const wide = full.names.length < short.names.length ? short : full;
  const isWhole = ({ names }: Layout) => names.includes('state') && names.includes('toGo');
  return [wide, ...shorter].find(isWhole) ?? wide;
}

/**
 * What is omitted, the first at 1: how long finished rules took; then `held` beside the state, and seconds beside minutes; then
 * percentages.
 */
const brevities = [0, 1, 2, 3];

function allColumns(
  limiters: readonly LimiterProgress[],
  { now, width, ink, brevity }: Around & { readonly brevity: number },
): readonly Column[] {
  const column = (by: Omit<Column, 'texts' | 'width'>, text: (limiter: LimiterProgress) => string): Column => {
    const texts = limiters.map(text);
    return { ...by, texts, width: Math.max(0, ...texts.map((one) => one.length)) };
  };
  const longest = Math.max(10, Math.floor(width * 0.3));
  const stateInk = (text: string, row: number) => inkOfState(limiters[row], ink)(text);
  return [
    column({ name: 'rule', side: 'before', dispensable: 0, align: 'left', paint: ink.bold }, (limiter) =>
      clip(shownName(limiter, limiters), longest),
    ),
    column({ name: 'state', side: 'before', dispensable: 3, align: 'left', paint: stateInk }, stateWord),
    column({ name: 'percent', side: 'after', dispensable: 0, align: 'right' }, brevity < 3 ? percentText : () => ''),
    column({ name: 'evicted', side: 'after', dispensable: 2, align: 'right' }, evictedText),
    column({ name: 'toGo', side: 'after', dispensable: 4, align: 'right' }, toGoText),
    column({ name: 'next', side: 'after', dispensable: 5, align: 'left' }, (limiter) => nextText(limiter, now)),
    column(
      { name: 'time', side: 'after', dispensable: 1, align: 'left' },
      (limiter) => (brevity < 1 ? tookText(limiter) : '') + leftText(limiter, { now, isBrief: brevity > 1 }),
    ),
  ];
}

const shortestBar = 8;
const longestBar = 40;
const gap = 2;

export interface Layout {
  readonly before: readonly Column[];
  readonly after: readonly Column[];
  readonly barWidth: number;
  readonly names: readonly ColumnName[];
}

/** Omits columns until a bar of eight characters fits. */
function columnsThatFit(columns: readonly Column[], width: number): Layout {
  const wanted = columns.filter((one) => one.width > 0);
  const barWidth = width - wanted.reduce((sum, one) => sum + one.width + gap, 0);
  const first = Math.max(0, ...wanted.map((one) => one.dispensable));
  if (barWidth < shortestBar && first > 0)
    return columnsThatFit(
      wanted.filter((one) => one.dispensable !== first),
      width,
    );
  const side = (name: Column['side']) => wanted.filter((one) => one.side === name);
  return {
    before: side('before'),
    after: side('after'),
    barWidth: Math.max(shortestBar, Math.min(longestBar, barWidth)),
    names: wanted.map(({ name }) => name),
  };
}

function percentText({ counts, total }: LimiterProgress): string {
  return total === 0 ? '' : `${percentDone(counts.evicted, total)} %`;
}

function evictedText({ counts, total }: LimiterProgress): string {
  return total === 0 ? '' : `${numberText(counts.evicted)} evicted`;
}

function toGoText({ counts, kept, isPartial }: LimiterProgress): string {
  if (kept !== undefined) return kept > 0 ? `${numberText(kept)} kept` : '';
  const left = counts.waiting + counts.pending + counts.deleting;
  return left === 0 ? '' : `${numberText(left)}${isPartial ? '+' : ''} to go`;
}

function nextText({ nextAt }: LimiterProgress, now: Instant): string {
  if (nextAt === undefined) return '';
  return `next ${nextAt <= now ? 'now' : durationText(nextAt - now)}`;
}

function tookText({ heldBecause, done, state }: LimiterProgress): string {
  if (heldBecause !== undefined || !done?.took || state !== 'Completed') return '';
  return `in ${durationText(done.took)}`;
}

/** Milliseconds. */
export const shortestLeft = 100;

/** `isBrief`: beside the column of states, and in whole minutes. */
function leftText(
  limiter: LimiterProgress,
  { now, isBrief }: { readonly now: Instant; readonly isBrief: boolean },
): string {
  const { finishAt, isPartial, heldBecause, done, state } = limiter;
  if (heldBecause !== undefined) return isBrief ? '' : stateWord(limiter).toLowerCase();
  if (finishAt === undefined || (done && state === 'Completed')) return '';
  // Never 0.0 s: there is a pod left.
  const left = Math.max(finishAt - now, shortestLeft);
  const text = durationText(isBrief && left > aMinute ? Math.ceil(left / aMinute) * aMinute : left);
  return `${isPartial ? 'over ' : ''}${text} left`;
}

const aMinute = 60_000;

function inkOfState(limiter: LimiterProgress | undefined, ink: Ink): (text: string) => string {
  if (limiter?.heldBecause !== undefined) return ink.yellow;
  if (limiter?.state === 'Evicting') return ink.cyan;
  if (limiter?.state === 'Completed') return ink.green;
  return limiter?.state === 'Stopped' ? ink.red : ink.dim;
}

function clip(text: string, width: number): string {
  return text.length > width ? `${text.slice(0, width - 1)}…` : text;
}
