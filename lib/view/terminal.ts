// Renders a ClusterProgress for a terminal: one line per rule with a bar, as wide as the terminal.
import { allOwned } from '../model/ownership.ts';
import { renderBar } from './bar.ts';
import { type Ink, inkOf, printable, visibleLength } from './ink.ts';
import type { ClusterProgress, LimiterProgress } from './progress.ts';
import { stateWord } from './stateLabel.ts';
import { type Column, limiterColumns } from './terminalColumns.ts';
import {
  linesAroundList,
  linesForNotes,
  linesNeeded,
  noteLines,
  renderLastLines,
  roomForEvictions,
} from './terminalLists.ts';
import { agoText, clockText, countText, durationText, modesText, numberText } from './words.ts';

export interface TerminalLook {
  /** Maximum line length in columns. */
  readonly width: number;
  /** Maximum number of lines; rules that do not fit are only counted. */
  readonly height?: number;
  readonly color: boolean;
}

/** Lines without line ends. */
export function renderTerminal(progress: ClusterProgress, look: TerminalLook): readonly string[] {
  const ink = inkOf(look.color);
  const lines = [
    ...summaryLines(progress, look),
    '',
    ...renderRulesAndEvictions(progress, { ...look, height: Math.max(1, (look.height ?? 24) - 3) }),
  ];
  return lines.map((line) => fitted(line, look.width, ink));
}

/** Two lines about the cluster, its watcher and its pods. */
export function summaryLines(progress: ClusterProgress, { width, color }: TerminalLook): readonly string[] {
  const ink = inkOf(color);
  return [headerLine(progress, { ink, isNarrow: width < 64 }), podsLine(progress, { ink, width })];
}

export function fitted(line: string, width: number, ink: Ink): string {
  return visibleLength(line) > width ? ink.cut(line, width) : line;
}

/** Rules first; then, if height allows, notes below the rules and the last evictions. */
export function renderRulesAndEvictions(
  progress: ClusterProgress,
  { width, height, color }: Required<TerminalLook>,
): readonly string[] {
  const ink = inkOf(color);
  const { limiters, last } = progress;
  const needed = linesNeeded(limiters, { width, ink });
  const around = linesAroundList(height);
  const hasEvictions = last.length > 0 && (height >= roomForEvictions || needed.withoutPace < height - around);
  const most = hasEvictions ? linesForRules({ needed: needed.withPace, evictions: last.length, height }) : height;
  const forRules = most - linesForNotes(limiters, { most, width, ink });
  const shown = limiters.slice(0, limiters.length > forRules ? forRules - 1 : forRules);
  const rest = restLine(limiters.slice(shown.length), { width, ink });
  const notes = noteLines(shown, { width, room: Math.max(0, most - shown.length - rest.length), ink });
  const rules = limiterLines(shown, { now: progress.at, width, ink }).flatMap((line, i) => [line, ...(notes[i] ?? [])]);
  const above = [
    ...(limiters.length === 0 ? [ink.dim('No device taints evict pods in this cluster.')] : []),
    ...rules,
    ...rest,
  ];
  if (!hasEvictions) return above;
  return [...above, ...renderLastLines(last, { width, height: height - above.length, hasGap: around > 1, ink })];
}

/** Half of the lines; more for rules that are not finished, and what a short list of evictions leaves. */
function linesForRules(by: { readonly needed: number; readonly evictions: number; readonly height: number }): number {
  const { needed, evictions, height } = by;
  const around = linesAroundList(height);
  const most = height < roomForEvictions ? height - around - 1 : Math.floor((height * 2) / 3);
  return Math.max(1, Math.floor(height / 2), height - around - evictions, Math.min(needed, most));
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
  { age, isAlive, isUnread }: ClusterProgress['watcher'],
  { ink, isNarrow }: { readonly ink: Ink; readonly isNarrow: boolean },
): string {
  if (isUnread) return ink.dim('from the API server alone');
  if (age === undefined) return ink.yellow('no heartbeat from the watcher yet');
  if (isAlive) return ink.green(isNarrow ? 'watcher live' : `watcher live, heard ${agoText(age)}`);
  return ink.red(isNarrow ? 'watcher silent' : `watcher silent for ${durationText(age)}: nothing is evicted`);
}

function podsLine(
  { pods, recent, shared = 0 }: ClusterProgress,
  { ink, width }: { readonly ink: Ink; readonly width: number },
): string {
  const { evicted: count, since } = recent.total ?? { evicted: recent.evicted, since: undefined };
  const evicted = `${recent.isPartial ? 'over ' : ''}${numberText(count)}`;
  const when = since === undefined ? `in ${durationText(recent.window)}` : `since ${clockText(since)}`;
  const left = pods.deleting + pods.pending + pods.waiting;
  const short = `${evicted} evicted, ${numberText(left)} to go`;
  const long =
    `${evicted} evicted ${when} · ${numberText(pods.deleting)} deleting · ` +
    `${numberText(pods.pending)} pending · ${numberText(pods.waiting)} waiting`;
  const full = shared > 0 ? `${long} · ${numberText(shared)} by several rules` : long;
  return ink.dim([full, long].find((one) => one.length <= width) ?? short);
}

interface Lines {
  readonly now: number;
  readonly width: number;
  readonly ink: Ink;
}

/** All bars have the same length; the columns around them are as wide as their widest text. */
function limiterLines(limiters: readonly LimiterProgress[], { now, width, ink }: Lines): readonly string[] {
  const { before, after, barWidth } = limiterColumns(limiters, { now, width, ink });
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

/** How many rules are not shown, and in which states; less if it does not fit, so that no number is cut. */
function restLine(
  rest: readonly LimiterProgress[],
  { width, ink }: { readonly width: number; readonly ink: Ink },
): readonly string[] {
  if (rest.length === 0) return [];
  const byState = Map.groupBy(rest, (one) => stateWord(one).toLowerCase());
  const states = [...byState].map(([state, { length }]) => `${numberText(length)} ${state}`).join(', ');
  const evicted = rest.reduce((sum, { counts }) => sum + counts.evicted, 0);
  const rules = `and ${countText(rest.length, 'more rule')}`;
  const texts = [`${rules}: ${states}; ${countText(evicted, 'pod')} evicted`, `${rules}: ${states}`];
  return [ink.dim(texts.find((one) => one.length <= width) ?? rules)];
}
