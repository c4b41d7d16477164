// Text below the terminal bars: notes about rules, and the last evictions with reasons.
import { type Ink, printable, visibleLength, wrapped } from './ink.ts';
import { paceText } from './pace.ts';
import type { LastEviction, LimiterProgress } from './progress.ts';
import { heldNote } from './stateLabel.ts';
import { clockText, countText, durationText, numberText } from './words.ts';

/** `45 pods in 11.2 s, 4/s, 0 missed`. */
export function doneText({ pods, took = 0, missed, byOthers = 0 }: NonNullable<LimiterProgress['done']>): string {
  // The rate of the rule has no part in pods that other rules evicted.
  const how = byOthers > 0 ? `${numberText(byOthers)} by other rules` : `${perSecondText(pods, took)}/s`;
  const pace = took > 0 ? ` in ${durationText(took)}, ${how}` : '';
  return `${countText(pods, 'pod')}${pace}, ${numberText(missed)} missed`;
}

function perSecondText(pods: number, took: number): string {
  return numberText(Math.round((pods * 10_000) / took) / 10);
}

interface Notes {
  readonly width: number;
  /** Maximum lines of all notes together. */
  readonly room: number;
  readonly ink: Ink;
}

/** Lines of the held and evicting rules with all of their notes, and the line that counts the others. */
export function linesNeeded(limiters: readonly LimiterProgress[], look: Pick<Notes, 'width' | 'ink'>): number {
  const { rules, notes } = urgentLines(limiters, look);
  return rules + notes + (limiters.length > rules ? 1 : 0);
}

/** Lines of `most` that finished rules leave to the notes of held and evicting rules: why a rule waits, and its pace. */
export function linesForNotes(
  limiters: readonly LimiterProgress[],
  { most, ...look }: Omit<Notes, 'room'> & { readonly most: number },
): number {
  const { rules, notes } = urgentLines(limiters.slice(0, most), look);
  return Math.max(0, Math.min(notes, most - rules - 1));
}

/** Lines of the held and evicting rules, and of their notes. */
function urgentLines(limiters: readonly LimiterProgress[], { width, ink }: Pick<Notes, 'width' | 'ink'>) {
  const urgent = limiters.filter((one) => urgencyOf(one) < notUrgent);
  return { rules: urgent.length, notes: urgent.flatMap((one) => noteOf(one, width, ink)).length };
}

/** Notes below each rule, none if the rule's own line suffices; if room is short, held rules come first, then evicting ones. */
export function noteLines(
  limiters: readonly LimiterProgress[],
  { width, room, ink }: Notes,
): readonly (readonly string[])[] {
  const notes = limiters.map((one) => noteOf(one, width, ink));
  const byUrgency = [...notes.keys()].sort((a, b) => urgencyOf(limiters[a]) - urgencyOf(limiters[b]));
  let left = room;
  for (const i of byUrgency) {
    const note = notes[i] ?? [];
    const end = (line: string) => ink.cut(`${line} `, Math.min(width, visibleLength(line) + 1));
    notes[i] = note.length <= left ? note : note.slice(0, left).map((line, k) => (k === left - 1 ? end(line) : line));
    left -= notes[i].length;
  }
  return notes;
}

const notUrgent = 2;

/** 0: most urgent. */
function urgencyOf(limiter: LimiterProgress | undefined): number {
  if (limiter?.heldBecause !== undefined) return 0;
  return limiter?.state === 'Evicting' ? 1 : notUrgent;
}

function noteOf(limiter: LimiterProgress, width: number, ink: Ink): readonly string[] {
  const { heldBecause, done, state, lastEvictionAt } = limiter;
  const lines = (text: string, paint: (text: string) => string) =>
    wrapped(printable(text), Math.max(1, width - 2)).map((line) => `  ${paint(line)}`);
  if (heldBecause !== undefined) return lines(heldNote(heldBecause), ink.yellow);
  // Successive rules of the same name are distinguished by their last eviction.
  const last = lastEvictionAt === undefined ? '' : `, the last at ${clockText(lastEvictionAt)}`;
  if (done && state === 'Completed') return lines(`done: ${doneText(done)}${last}`, ink.green);
  return state === 'Evicting' ? [`  ${ink.dim(paceLine(limiter))}`] : [];
}

function paceLine({ perSecond, rate, kind, place, selector, taint }: LimiterProgress): string {
  const { pace, note } = paceText(perSecond, rate);
  // The line of a rule begins with its name.
  const stands = kind === 'Rule' ? '' : ` in ${printable(place)}`;
  const on = selector === '' ? '' : ` on ${printable(selector)}`;
  const limit = `${pace} of ${numberText(rate.perSecond)}/s allowed${note}`;
  return `${limit} · ${printable(taint)}${stands}${on}`;
}

interface Lists {
  readonly width: number;
  /** Maximum lines, including heading and empty line. */
  readonly height: number;
  readonly ink: Ink;
}

/** Number of lines for the empty line and the heading. */
export const aroundList = 2;

/** Newest first; empty if no eviction fits below the heading. */
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
