// Columns around the terminal bars, and which of them a narrow terminal omits.
import type { Instant } from '../model/time.ts';
import { type Ink, printable } from './ink.ts';
import type { LimiterProgress } from './progress.ts';
import { stateWord } from './stateLabel.ts';
import { durationText, numberText, percentDone } from './words.ts';

export interface Column {
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

/** The columns of the widest layout that fits; how long finished rules took is omitted if it would take the place of a column. */
export function limiterColumns(limiters: readonly LimiterProgress[], around: Around): Layout {
  const full = columnsThatFit(allColumns(limiters, around, tookText), around.width);
  const short = columnsThatFit(
    allColumns(limiters, around, () => ''),
    around.width,
  );
  const countOf = ({ before, after }: Layout) => before.length + after.length;
  return countOf(full) < countOf(short) ? short : full;
}

function allColumns(
  limiters: readonly LimiterProgress[],
  { now, width, ink }: Around,
  took: (limiter: LimiterProgress) => string,
): readonly Column[] {
  const column = (by: Omit<Column, 'texts' | 'width'>, text: (limiter: LimiterProgress) => string): Column => {
    const texts = limiters.map(text);
    return { ...by, texts, width: Math.max(0, ...texts.map((one) => one.length)) };
  };
  const longest = Math.max(10, Math.floor(width * 0.3));
  const stateInk = (text: string, row: number) => inkOfState(limiters[row], ink)(text);
  return [
    column({ side: 'before', dispensable: 0, align: 'left', paint: ink.bold }, ({ name }) =>
      clip(printable(name), longest),
    ),
    column({ side: 'before', dispensable: 3, align: 'left', paint: stateInk }, stateWord),
    column({ side: 'after', dispensable: 0, align: 'right' }, percentText),
    column({ side: 'after', dispensable: 2, align: 'right' }, evictedText),
    column({ side: 'after', dispensable: 4, align: 'right' }, toGoText),
    column({ side: 'after', dispensable: 5, align: 'left' }, (limiter) => nextText(limiter, now)),
    column({ side: 'after', dispensable: 1, align: 'left' }, (limiter) => took(limiter) + leftText(limiter, now)),
  ];
}

const shortestBar = 8;
const longestBar = 40;
const gap = 2;

export interface Layout {
  readonly before: readonly Column[];
  readonly after: readonly Column[];
  readonly barWidth: number;
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

function leftText(limiter: LimiterProgress, now: Instant): string {
  const { finishAt, isPartial, heldBecause, done, state } = limiter;
  if (heldBecause !== undefined) return stateWord(limiter).toLowerCase();
  if (done && state === 'Completed') return '';
  return finishAt === undefined ? '' : `${isPartial ? 'over ' : ''}${durationText(finishAt - now)} left`;
}

function inkOfState(limiter: LimiterProgress | undefined, ink: Ink): (text: string) => string {
  if (limiter?.heldBecause !== undefined) return ink.yellow;
  if (limiter?.state === 'Evicting') return ink.cyan;
  if (limiter?.state === 'Completed') return ink.green;
  return limiter?.state === 'Stopped' ? ink.red : ink.dim;
}

function clip(text: string, width: number): string {
  return text.length > width ? `${text.slice(0, width - 1)}…` : text;
}
