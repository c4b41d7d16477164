// Renders one terminal frame from a snapshot: tutorial, fleet, rules with rates, last evictions; pure.

import { renderFleet } from './fleetMap.ts';
import { type Ink, inkOf, printable, wrapped } from './ink.ts';
import type { Chapter, Loading, ScreenSnapshot } from './screenSnapshot.ts';
import type { TerminalLook } from './terminal.ts';
import { fitted, renderRulesAndEvictions, summaryLines } from './terminal.ts';
import { numberText, secondsText } from './words.ts';

type Look = Required<TerminalLook>;

/** Lines of the fleet map with a cell per device, and with one character per node. */
const mapHeight = 11;
const stripHeight = 3;
/** Minimum lines for rules and evictions before the fleet gets more than its strip. */
const leastRules = 12;

/** At most `height` lines without line ends, none wider than `width`. */
export function renderScreen(snapshot: ScreenSnapshot, look: Look): readonly string[] {
  const ink = inkOf(look.color);
  const footer = footerLines(snapshot, ink).slice(0, Math.max(0, look.height - 4));
  const room = look.height - footer.length;
  const body = bodyOf(snapshot, { ...look, height: room }).slice(0, room);
  const filler = Array.from({ length: room - body.length }, () => '');
  return [...body, ...filler, ...footer].map((line) => fitted(line, look.width, ink));
}

function bodyOf(snapshot: ScreenSnapshot, look: Look): readonly string[] {
  const ink = inkOf(look.color);
  const { progress, loading, fleet, overlay } = snapshot;
  if (loading || !progress) return loadingLines(loading, { ...look, ink });
  const head = [...summaryLines(progress, look), ...chapterLines(snapshot, { ...look, ink })];
  if (overlay)
    return [
      ...head,
      '',
      ink.bold(overlay.title),
      ...overlay.lines.flatMap((one) => wrapped(printable(one), look.width)),
    ];
  const left = look.height - head.length;
  const room = left - mapHeight >= leastRules ? mapHeight : stripHeight;
  const map =
    fleet && left >= stripHeight + 4 ? ['', ...renderFleet(fleet, { ink, width: look.width, height: room })] : [];
  const rules = { ...look, height: Math.max(1, left - map.length - 1) };
  return [...head, ...map, '', ...renderRulesAndEvictions(progress, rules)];
}

interface Inked extends Look {
  readonly ink: Ink;
}

/** Highlights the sentence that tells the user what to watch. */
function chapterLines({ chapter, at, isPaused }: ScreenSnapshot, { ink, width }: Inked): readonly string[] {
  const paused = isPaused ? [ink.yellow('Paused: no pod is evicted. Press p to resume.')] : [];
  if (!chapter) return paused;
  const title = `Act ${chapter.act} of 3: ${chapter.title}`;
  return ['', ink.bold(ink.cyan(title)), ...wrapped(watchText(chapter, at), width), ...paused];
}

function watchText({ watch, until }: Chapter, at: number): string {
  return until === undefined || until <= at ? watch : `${watch} (${secondsText(until - at)})`;
}

const widestBar = 50;

function loadingLines(loading: Loading | undefined, { ink, width }: Inked): readonly string[] {
  const { step, done, of } = loading ?? { step: 'Starting.', done: 0, of: 0 };
  const cells = Math.min(widestBar, Math.max(4, width - 24));
  const full = of > 0 ? Math.min(cells, Math.floor((cells * done) / of)) : 0;
  const share = of > 0 ? `${numberText(done)} of ${numberText(of)}` : '';
  return [
    ink.bold('Sluice is starting'),
    '',
    'The cluster is not known yet, so there are no numbers to show.',
    printable(step),
    '',
    `${ink.cyan('█'.repeat(full))}${ink.dim('·'.repeat(cells - full))}  ${share}`,
  ];
}

function footerLines({ message, footer }: ScreenSnapshot, ink: Ink): readonly string[] {
  return [...(message === undefined ? [] : [ink.cyan(printable(message))]), ...footer.map(ink.dim)];
}
