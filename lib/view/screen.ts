// Renders one terminal frame from a snapshot: tutorial, fleet, rules with rates, last evictions; pure.

import type { Instant } from '../model/time.ts';
import { renderFleet } from './fleetMap.ts';
import { type Ink, inkOf, printable, wrapped } from './ink.ts';
import type { Chapter, Loading, Overlay, ScreenSnapshot } from './screenSnapshot.ts';
import type { TerminalLook } from './terminal.ts';
import { fitted, renderRulesAndEvictions, summaryLines } from './terminal.ts';
import { countText, numberText, secondsText } from './words.ts';

type Look = Required<TerminalLook>;

/** Lines of the fleet map with a cell per device, and with one character per node. */
const mapHeight = 11;
const stripHeight = 3;
/** Minimum lines for rules and evictions before the fleet gets more than its strip. */
const leastRules = 12;

/** At most `height` lines without line ends, none wider than `width`. */
export function renderScreen(snapshot: ScreenSnapshot, look: Look): readonly string[] {
  const ink = inkOf(look.color);
  const footer = isSmall(snapshot, look) ? [] : footerLines(snapshot, { ...look, ink });
  const room = look.height - footer.length;
  const body = bodyOf(snapshot, { ...look, height: room }).slice(0, room);
  const filler = Array.from({ length: room - body.length }, () => '');
  return [...body, ...filler, ...footer].map((line) => fitted(line, look.width, ink));
}

function bodyOf(snapshot: ScreenSnapshot, look: Look): readonly string[] {
  const ink = inkOf(look.color);
  const { at, progress, loading, fleet, overlay } = snapshot;
  if (loading || !progress) return loadingLines(loading, { ...look, ink, at });
  if (overlay && isSmall(snapshot, look)) return overlayLines(overlay, { ...look, ink });
  const summary = summaryLines(progress, look);
  if (overlay) {
    const height = look.height - summary.length - 1;
    return [...summary, '', ...overlayLines(overlay, { ...look, ink, height })];
  }
  const head = [...summary, ...chapterLines(snapshot, { ...look, ink })];
  const left = look.height - head.length;
  const room = left - mapHeight >= leastRules ? mapHeight : stripHeight;
  const map =
    fleet && left >= stripHeight + 4 ? ['', ...renderFleet(fleet, { ink, width: look.width, height: room })] : [];
  const rules = { ...look, height: Math.max(1, left - map.length - 1) };
  return [...head, ...map, '', ...renderRulesAndEvictions(progress, rules)];
}

/** A low terminal has no empty lines within a part. */
function gapIn(height: number): readonly string[] {
  return height < roomForGaps ? [] : [''];
}

/** Below this number of lines above the footer there are no empty ones. */
const roomForGaps = 9;

/** Below this height an answer has all lines. */
const roomForAnswer = 16;

function isSmall({ overlay, loading, progress }: ScreenSnapshot, { height }: Look): boolean {
  return overlay !== undefined && !loading && progress !== undefined && height < roomForAnswer;
}

interface Inked extends Look {
  readonly ink: Ink;
}

/** Wrapped lines keep the indent of the first one. */
function indented(line: string, width: number): readonly string[] {
  const [indent = ''] = /^ */.exec(line) ?? [];
  return wrapped(line.trimStart(), Math.max(1, width - indent.length)).map((one) => indent + one);
}

/** Says how many lines do not fit, and which key shows them. */
function overlayLines({ title, lines, from = 0 }: Overlay, { ink, width, height }: Inked): readonly string[] {
  const above = from > 0 ? [ink.dim(`↑ ${countText(from, 'line')} above`)] : [];
  const below = lines.slice(from).flatMap((one) => indented(printable(one), width));
  const all = [ink.bold(title), ...above, ...below];
  const rest = all.length - height;
  if (rest <= 0) return all;
  return [...all.slice(0, height - 1), ink.dim(`↓ ${countText(rest + 1, 'more line')}`)];
}

/** The last line can always be the first one shown, so that each line is reached in any terminal. */
export function scrolled(overlay: Overlay, by: number): Overlay {
  const from = Math.min(Math.max(0, (overlay.from ?? 0) + by), Math.max(0, overlay.lines.length - 1));
  return { ...overlay, from };
}

/** The sentence that tells the user what to watch; while all is paused it would promise what does not happen. */
function chapterLines(snapshot: ScreenSnapshot, { ink, width, height }: Inked): readonly string[] {
  const { chapter, at, pausedBy, pausedNamespaces = [] } = snapshot;
  const sentence = `Paused by ${printable(pausedBy ?? '')}: no pod is evicted. Press p to resume.`;
  const kept = `Pods of paused namespaces are kept: ${pausedNamespaces.map(printable).join(', ')}.`;
  const paused = [
    ...(pausedBy === undefined ? [] : wrapped(sentence, width)),
    ...(pausedNamespaces.length === 0 ? [] : wrapped(kept, width)),
  ].map(ink.yellow);
  const gap = gapIn(height);
  if (!chapter) return paused;
  const title = ink.bold(ink.cyan(`Act ${chapter.act} of 3: ${chapter.title}`));
  return pausedBy === undefined
    ? [...gap, ...paused, title, ...wrapped(watchText(chapter, at), width)]
    : [...gap, ...paused, title];
}

function watchText({ watch, until }: Chapter, at: number): string {
  return until === undefined || until <= at ? watch : `${watch} (${secondsText(until - at)})`;
}

const widestBar = 50;

/** Cells of the moving mark of a bar whose length is unknown, and milliseconds per cell. */
const moving = { cells: 6, every: 120 };

function loadingLines(
  loading: Loading | undefined,
  { ink, width, height, at }: Inked & { readonly at: Instant },
): readonly string[] {
  const { step, done, of } = loading ?? { step: 'Starting.', done: 0, of: 0 };
  const cells = Math.min(widestBar, Math.max(4, width - 24));
  const full = of > 0 ? Math.min(cells, Math.floor((cells * done) / of)) : 0;
  const before = Math.floor(at / moving.every) % (cells + moving.cells);
  const bar = of > 0 ? [0, full] : [Math.max(0, before - moving.cells), Math.min(cells, before)];
  const [start = 0, end = 0] = bar;
  const share = of > 0 ? `${numberText(done)} of ${numberText(of)}` : '';
  const gap = gapIn(height);
  return [
    ink.bold('Sluice is starting'),
    ...gap,
    ...wrapped('The cluster is not known yet, so there are no numbers to show.', width),
    ...wrapped(printable(step), width),
    ...gap,
    `${ink.dim('·'.repeat(start))}${ink.cyan('█'.repeat(end - start))}${ink.dim('·'.repeat(cells - end))}  ${share}`,
  ];
}

/** Lines at the end that do not fit into half of a low terminal are left out whole, because a cut command is of no use. */
function footerLines({ message, footer }: ScreenSnapshot, { ink, width, height }: Inked): readonly string[] {
  const room = Math.max(0, height < roomForAnswer ? Math.floor(height / 2) : height - 4);
  const said = message === undefined ? [] : wrapped(printable(message), width).slice(0, Math.min(4, room));
  const lines: string[] = said.map(ink.cyan);
  for (const line of footer) {
    const parts = partsOfLine(line, width);
    if (lines.length + parts.length > room) break;
    lines.push(...parts.map(ink.dim));
  }
  return lines;
}

/** Broken between keys, which two spaces separate; a command is broken as a terminal does, so that it can be copied. */
function partsOfLine(line: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const key of line.split('  ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 2 + key.length <= width) lines[lines.length - 1] = `${last}  ${key}`;
    else for (let from = 0; from === 0 || from < key.length; from += width) lines.push(key.slice(from, from + width));
  }
  return lines;
}
