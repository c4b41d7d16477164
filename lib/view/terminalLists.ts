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

/** Lines of the held and evicting rules with their notes, and the line that counts the others. */
export function linesNeeded(
  limiters: readonly LimiterProgress[],
  look: Pick<Notes, 'width' | 'ink'>,
): { readonly withPace: number; readonly withoutPace: number } {
  const { rules, reasons, paces } = urgentLines(limiters, look);
  const withoutPace = rules + reasons + (limiters.length > rules ? 1 : 0);
  return { withPace: withoutPace + paces, withoutPace };
}

/** Lines of `most` that finished rules leave to the notes of held and evicting rules: why a rule waits, and its pace. */
export function linesForNotes(
  limiters: readonly LimiterProgress[],
  { most, ...look }: Omit<Notes, 'room'> & { readonly most: number },
): number {
  const { rules, reasons, paces } = urgentLines(limiters.slice(0, most), look);
  return Math.max(0, Math.min(reasons + paces, most - rules - 1));
}

/** Numbers of the held and evicting rules, of the lines of what holds them, and of the lines of their paces. */
function urgentLines(limiters: readonly LimiterProgress[], { width, ink }: Pick<Notes, 'width' | 'ink'>) {
  const urgencies = urgenciesOf(limiters);
  const linesOf = (urgency: number) =>
    limiters.filter((_, i) => urgencies[i] === urgency).flatMap((one) => noteOf(one, width, ink)).length;
  return {
    rules: limiters.filter((one) => one.heldBecause !== undefined || one.state === 'Evicting').length,
    reasons: linesOf(urgency.held),
    paces: linesOf(urgency.evicting),
  };
}

/** Notes below each rule, none if the rule's own line suffices; if room is short, held rules come first, then evicting ones. */
export function noteLines(
  limiters: readonly LimiterProgress[],
  { width, room, ink }: Notes,
): readonly (readonly string[])[] {
  const notes = limiters.map((one) => noteOf(one, width, ink));
  const urgencies = urgenciesOf(limiters);
  const byUrgency = [...notes.keys()].sort((a, b) => (urgencies[a] ?? 0) - (urgencies[b] ?? 0));
  let left = room;
  for (const i of byUrgency) {
    const note = notes[i] ?? [];
    const end = (line: string) => ink.cut(`${line} `, Math.min(width, visibleLength(line) + 1));
    notes[i] = note.length <= left ? note : note.slice(0, left).map((line, k) => (k === left - 1 ? end(line) : line));
    left -= notes[i].length;
  }
  return notes;
}

/** Order in which notes get lines. A reason that another rule's note has already given comes last. */
const urgency = { held: 0, evicting: 1, other: 2, repeated: 3 } as const;

function urgenciesOf(limiters: readonly LimiterProgress[]): readonly number[] {
  const given = new Set<string>();
  return limiters.map(({ heldBecause, state }) => {
    if (heldBecause === undefined) return state === 'Evicting' ? urgency.evicting : urgency.other;
    const isRepeated = given.has(heldBecause);
    given.add(heldBecause);
    return isRepeated ? urgency.repeated : urgency.held;
  });
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
  /** An empty line is above the heading. */
  readonly hasGap: boolean;
  readonly ink: Ink;
}

/** Below this height, evictions are listed only if the rules that are not finished leave room for one, and without an empty line above. */
export const roomForEvictions = 9;

/** Number of lines for the heading, and for the empty line above it. */
export function linesAroundList(height: number): number {
  return height < roomForEvictions ? 1 : 2;
}

/** Newest first; empty if no eviction fits below the heading. */
export function renderLastLines(
  last: readonly LastEviction[],
  { width, height, hasGap, ink }: Lists,
): readonly string[] {
  const gap = hasGap ? [''] : [];
  const shown = last.slice(0, Math.max(0, height - gap.length - 1));
  if (shown.length === 0) return [];
  const names = shown.map(({ pod }) => printable(`${pod.namespace}/${pod.name}`));
  const widest = Math.min(Math.floor(width * 0.4), Math.max(0, ...names.map((one) => one.length)));
  const lines = shown.map(({ at, node = '', source, taint, outcome }, i) => {
    const name = (names[i] ?? '').slice(0, widest).padEnd(widest);
    const how = outcome === 'evicted' ? '' : ` (${outcome})`;
    return `${ink.dim(clockText(at))}  ${name}  ${ink.dim(printable(node))}  ${printable(source)} ${ink.dim(printable(taint))}${how}`;
  });
  return [...gap, ink.bold('Last evictions'), ...lines];
}
