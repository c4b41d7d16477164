// Redraws the terminal screen; without a terminal, prints a line when something has changed.

import { renderScreen } from '../../view/screen.ts';
import type { ScreenSnapshot } from '../../view/screenSnapshot.ts';
import { renderPlainLine, renderSummary } from '../../view/terminalSummary.ts';
import { pause } from '../../watcher/pauses.ts';

export interface TerminalOutput {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
}

export interface TerminalOptions {
  /** Snapshot for one frame. */
  readonly read: () => Promise<ScreenSnapshot>;
  readonly out: TerminalOutput;
  /** NO_COLOR disables colours (no-color.org), TERM=dumb also redrawing. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Milliseconds between regular frames; default 400 in a terminal, else 5000. */
  readonly interval?: number;
}

export interface TerminalView {
  /** Draws the next frame now instead of after the interval. */
  redraw(): void;
  /** Restores cursor and screen synchronously, for a process that exits without `stop`. */
  restore(): void;
  /** Draws a last time, restores the previous screen and prints the summary there. */
  stop(): Promise<void>;
}

/** Alternate screen: the previous content of the terminal is restored at the end. */
const enterScreen = '\u001b[?1049h';
const leaveScreen = '\u001b[?1049l';
const hideCursor = '\u001b[?25l';
const showCursor = '\u001b[?25h';
/** Synchronized output: supporting terminals show the frame at once, others ignore it. */
const beginUpdate = '\u001b[?2026h';
const endUpdate = '\u001b[?2026l';
const home = '\u001b[H';
const clearToLineEnd = '\u001b[K';
const clearBelow = '\u001b[J';

export function startTerminal(options: TerminalOptions): TerminalView {
  const { out, environment } = options;
  const isLive = out.isTTY === true && environment.TERM !== 'dumb';
  const color = isLive && !environment.NO_COLOR;
  const screen = isLive ? createScreen(out) : undefined;
  let plain = '';
  const draw = (snapshot: ScreenSnapshot) => {
    if (screen) return screen.draw(renderScreen(snapshot, { ...sizeOf(out), color }));
    const line = plainLine(snapshot);
    if (line.slice(9) !== plain.slice(9)) out.write(`${line}\n`);
    plain = line;
  };
  let last: ScreenSnapshot | undefined;
  const loop = repeat(options.interval ?? (isLive ? 400 : 5000), async () => {
    try {
      last = await options.read();
      draw(last);
    } catch (error) {
      screen?.draw([`The state table cannot be read: ${error instanceof Error ? error.message : error}`]);
    }
  });
  return {
    redraw: () => isLive && loop.wake(),
    restore: () => screen?.end(),
    async stop() {
      await loop.stop();
      screen?.end();
      const lines = last?.progress ? renderSummary(last.progress, { color }) : [];
      out.write(lines.map((line) => `${line}\n`).join(''));
    },
  };
}

/** Leaves one column and one line free: some terminals wrap a full line, and a full last line would scroll. */
function sizeOf({ columns = 80, rows = 24 }: TerminalOutput): { readonly width: number; readonly height: number } {
  return { width: Math.max(20, columns - 1), height: Math.max(6, rows - 1) };
}

function plainLine({ progress, loading, at }: ScreenSnapshot): string {
  if (progress && !loading) return renderPlainLine(progress);
  const { step = 'starting', done = 0, of = 0 } = loading ?? {};
  return `${new Date(at).toISOString().slice(11, 19)} ${step}${of > 0 ? ` ${done} of ${of}` : ''}`;
}

interface Screen {
  draw(lines: readonly string[]): void;
  end(): void;
}

/** Overwrites the previous frame in one write without clearing it first, to avoid flicker. */
function createScreen(out: TerminalOutput): Screen {
  let isOpen = true;
  out.write(`${enterScreen}${hideCursor}`);
  return {
    draw(lines) {
      if (!isOpen) return;
      const text = lines.map((line) => `${line}${clearToLineEnd}`).join('\n');
      out.write(`${beginUpdate}${home}${text}${clearBelow}${endUpdate}`);
    },
    end() {
      if (isOpen) out.write(`${showCursor}${leaveScreen}`);
      isOpen = false;
    },
  };
}

/** Repeats `work` without overlap; `wake` skips the remaining wait, `stop` runs it a last time. */
function repeat(interval: number, work: () => Promise<void>): { wake(): void; stop(): Promise<void> } {
  const stopped = new AbortController();
  let woken = new AbortController();
  const done = (async () => {
    for (;;) {
      woken = new AbortController();
      await work();
      if (stopped.signal.aborted) return;
      // Several wake-ups within this time give one frame.
      await pause(stopped.signal, Math.min(interval, together));
      await pause(AbortSignal.any([woken.signal, stopped.signal]), interval - together);
    }
  })();
  return {
    wake: () => woken.abort(),
    async stop() {
      stopped.abort();
      await done;
    },
  };
}

/** Minimum milliseconds between two frames. */
const together = 50;
