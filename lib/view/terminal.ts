// The same picture for a terminal: one line per rule with a bar, as wide as the terminal, in colour where wanted.
import { renderBar } from './bar.ts';
import { type Ink, inkOf, printable, visibleLength } from './ink.ts';
import type { ClusterProgress, LimiterProgress } from './progress.ts';
import { stateWord } from './stateLabel.ts';
import { clockText, countText, durationText, numberText, percentDone } from './words.ts';

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
  const name = Math.min(Math.max(8, ...shown.map((one) => one.name.length)), Math.max(8, Math.floor(look.width * 0.3)));
  const lines = [
    headerLine(progress, ink),
    podsLine(progress, ink),
    '',
    ...(limiters.length === 0 ? [ink.dim('No device taints evict pods in this cluster.')] : []),
    ...shown.map((one) => limiterLine(one, { now: progress.at, width: look.width, name, ink })),
    ...restLine(limiters.slice(shown.length), ink),
  ];
  return lines.map((line) => (visibleLength(line) > look.width ? ink.cut(line, look.width) : line));
}

function headerLine({ cluster, at, watcher, mode }: ClusterProgress, ink: Ink): string {
  const heard =
    watcher.age === undefined
      ? ink.yellow('watcher not heard yet')
      : watcher.isAlive
        ? ink.green(`watcher live (${durationText(watcher.age)})`)
        : ink.red(`watcher silent for ${durationText(watcher.age)}: nothing is evicted`);
  const only = mode === 'shadow' ? `  ${ink.yellow('shadow: only watched')}` : '';
  return `${ink.bold('Sluice')} ${printable(cluster)}  ${heard}${only}  ${ink.dim(`${clockText(at)} UTC`)}`;
}

function podsLine({ pods, recent }: ClusterProgress, ink: Ink): string {
  const evicted = `${recent.isPartial ? 'over ' : ''}${numberText(recent.evicted)}`;
  return ink.dim(
    `${evicted} evicted in ${durationText(recent.window)} · ${numberText(pods.reserved)} with a slot · ` +
      `${numberText(pods.pending)} in line · ${numberText(pods.waiting)} waiting`,
  );
}

interface Line {
  readonly now: number;
  readonly width: number;
  readonly name: number;
  readonly ink: Ink;
}

/** Narrow terminals lose the state word first, then the counts; never the bar, the percentage and the time left. */
function limiterLine(limiter: LimiterProgress, { now, width, name, ink }: Line): string {
  const { counts, total } = limiter;
  const title = clip(printable(limiter.name), name);
  const state = width >= 90 ? ` ${stateInk(limiter, ink)(stateWord(limiter).padEnd(9))}` : '';
  const percent = total === 0 ? '     ' : `${String(percentDone(counts.evicted, total)).padStart(3)} %`;
  const figures = width >= 70 ? figuresText(limiter, now) : shortText(limiter, now);
  const used = name + visibleLength(state) + figures.length + 10;
  const bar = renderBar(counts, { cells: Math.max(6, Math.min(40, width - used)), ink });
  return `${ink.bold(title)}${state} ${bar} ${percent}  ${figures}`;
}

function figuresText(limiter: LimiterProgress, now: number): string {
  const { counts, kept, heldBecause, nextSlot } = limiter;
  const evicted = `${numberText(counts.evicted).padStart(5)} evicted`;
  if (limiter.state === 'Stopped')
    return `${evicted}${kept === undefined ? '' : `  ${numberText(kept).padStart(5)} kept`}`;
  const left = counts.waiting + counts.pending + counts.reserved;
  if (left === 0) return evicted;
  const waiting = `${numberText(left).padStart(5)}${limiter.isPartial ? '+' : ''} to go`;
  if (heldBecause !== undefined) return `${evicted} ${waiting}  held`;
  const next = nextSlot === undefined ? '' : `  next ${soon(nextSlot, now).padEnd(5)}`;
  return `${evicted} ${waiting}${next}  ${leftText(limiter, now)}`;
}

function shortText(limiter: LimiterProgress, now: number): string {
  const { counts, total } = limiter;
  if (limiter.state === 'Stopped') return `stopped at ${numberText(counts.evicted)}`;
  if (total === counts.evicted) return numberText(counts.evicted);
  const done = `${numberText(counts.evicted)}/${numberText(total)}`;
  return limiter.heldBecause === undefined ? `${done} ${leftText(limiter, now)}` : `${done} held`;
}

function leftText({ finishAt, isPartial }: LimiterProgress, now: number): string {
  return finishAt === undefined ? '' : `${isPartial ? 'over ' : ''}${durationText(finishAt - now)} left`;
}

function soon(at: number, now: number): string {
  return at <= now ? 'now' : durationText(at - now);
}

function stateInk({ state, heldBecause }: LimiterProgress, ink: Ink): (text: string) => string {
  if (heldBecause !== undefined) return ink.yellow;
  if (state === 'Evicting') return ink.cyan;
  if (state === 'Completed') return ink.green;
  return state === 'Stopped' ? ink.red : ink.dim;
}

function restLine(rest: readonly LimiterProgress[], ink: Ink): readonly string[] {
  if (rest.length === 0) return [];
  const evicted = rest.reduce((sum, { counts }) => sum + counts.evicted, 0);
  return [ink.dim(`and ${countText(rest.length, 'more rule')} with ${countText(evicted, 'evicted pod')}`)];
}

function clip(text: string, width: number): string {
  return text.length > width ? `${text.slice(0, width - 1)}…` : text.padEnd(width);
}
