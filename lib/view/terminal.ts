// The same picture for a terminal: one line per rule with a bar, as wide as the terminal, in colour where wanted.
import { allOwned } from '../model/ownership.ts';
import { renderBar } from './bar.ts';
import { type Ink, inkOf, printable, visibleLength } from './ink.ts';
import type { ClusterProgress, LimiterProgress } from './progress.ts';
import { type Column, columnsThatFit, limiterColumns } from './terminalColumns.ts';
import { agoText, clockText, countText, durationText, modesText, numberText } from './words.ts';

export interface TerminalLook {
  /** Columns; no line is longer. */
  readonly width: number;
  /** Lines of the picture at most; rules that do not fit are counted. */
  readonly height?: number;
  readonly color: boolean;
}

/** Lines without line ends. */
export function renderTerminal(progress: ClusterProgress, look: TerminalLook): readonly string[] {
  const ink = inkOf(look.color);
  const room = Math.max(1, (look.height ?? 24) - 3);
  const { limiters } = progress;
  const shown = limiters.slice(0, limiters.length > room ? room - 1 : room);
  const lines = [
    headerLine(progress, { ink, isNarrow: look.width < 64 }),
    podsLine(progress, { ink, isNarrow: look.width < 78 }),
    '',
    ...(limiters.length === 0 ? [ink.dim('No device taints evict pods in this cluster.')] : []),
    ...limiterLines(shown, { now: progress.at, width: look.width, ink }),
    ...restLine(limiters.slice(shown.length), ink),
  ];
  return lines.map((line) => (visibleLength(line) > look.width ? ink.cut(line, look.width) : line));
}

function headerLine(
  { cluster, at, watcher, modes = allOwned }: ClusterProgress,
  { ink, isNarrow }: { readonly ink: Ink; readonly isNarrow: boolean },
): string {
  const text = modesText(modes);
  const only = text === '' ? '' : `  ${ink.yellow(text)}`;
  const clock = isNarrow ? '' : `  ${ink.dim(`${clockText(at)} UTC`)}`;
  return `${ink.bold('Sluice')} ${printable(cluster)}  ${watcherText(watcher, { ink, isNarrow })}${only}${clock}`;
}

function watcherText(
  { age, isAlive }: ClusterProgress['watcher'],
  { ink, isNarrow }: { readonly ink: Ink; readonly isNarrow: boolean },
): string {
  if (age === undefined) return ink.yellow('watcher not heard yet');
  if (isAlive) return ink.green(isNarrow ? 'watcher live' : `watcher live, heard ${agoText(age)}`);
  return ink.red(isNarrow ? 'watcher silent' : `watcher silent for ${durationText(age)}: nothing is evicted`);
}

function podsLine(
  { pods, recent }: ClusterProgress,
  { ink, isNarrow }: { readonly ink: Ink; readonly isNarrow: boolean },
): string {
  const evicted = `${recent.isPartial ? 'over ' : ''}${numberText(recent.evicted)}`;
  const left = pods.deleting + pods.pending + pods.waiting;
  if (isNarrow) return ink.dim(`${evicted} evicted, ${numberText(left)} to go`);
  return ink.dim(
    `${evicted} evicted in ${durationText(recent.window)} · ${numberText(pods.deleting)} being deleted · ` +
      `${numberText(pods.pending)} in line · ${numberText(pods.waiting)} waiting`,
  );
}

interface Lines {
  readonly now: number;
  readonly width: number;
  readonly ink: Ink;
}

/** All bars are equally long; the columns around them are as wide as their widest text. */
function limiterLines(limiters: readonly LimiterProgress[], { now, width, ink }: Lines): readonly string[] {
  const { before, after, barWidth } = columnsThatFit(limiterColumns(limiters, { now, width, ink }), width);
  return limiters.map((limiter, row) => {
    const bar = renderBar(limiter.counts, { cells: barWidth, total: limiter.total, ink });
    return [...before.map(cell(row)), bar, ...after.map(cell(row))].join('  ').trimEnd();
  });
}

function cell(row: number): (column: Column) => string {
  return ({ texts, width, align, paint }) => {
    const text = texts[row] ?? '';
    const padded = align === 'right' ? text.padStart(width) : text.padEnd(width);
    return paint ? paint(padded, row) : padded;
  };
}

function restLine(rest: readonly LimiterProgress[], ink: Ink): readonly string[] {
  if (rest.length === 0) return [];
  const evicted = rest.reduce((sum, { counts }) => sum + counts.evicted, 0);
  return [ink.dim(`and ${countText(rest.length, 'more rule')} with ${countText(evicted, 'evicted pod')}`)];
}
