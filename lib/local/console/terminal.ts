// Keeps the picture up to date in a terminal, in place; where there is no terminal, prints a line when something moved.
import type { ClusterProgress } from '../../view/progress.ts';
import { renderTerminal } from '../../view/terminal.ts';
import { renderPlainLine, renderSummary } from '../../view/terminalSummary.ts';

export interface TerminalOutput {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
}

export interface TerminalOptions {
  readonly read: () => Promise<ClusterProgress>;
  readonly out: TerminalOutput;
  /** Shown below the picture, such as the page's address. */
  readonly footer?: readonly string[];
  /** NO_COLOR turns colours off (no-color.org), TERM=dumb the redrawing as well. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Milliseconds between two pictures; 250 in a terminal, 5000 else. */
  readonly interval?: number;
}

export interface TerminalView {
  /** Draws a last time, prints the summary and gives the cursor back. */
  stop(): Promise<void>;
}

const hideCursor = '\u001b[?25l';
const showCursor = '\u001b[?25h';
/** Synchronized output: terminals that know it show the whole picture at once, others ignore it. */
const beginUpdate = '\u001b[?2026h';
const endUpdate = '\u001b[?2026l';
const clearToLineEnd = '\u001b[K';
const clearBelow = '\u001b[J';

export function startTerminal(options: TerminalOptions): TerminalView {
  const { out, environment } = options;
  const isLive = out.isTTY === true && environment.TERM !== 'dumb';
  const color = isLive && !environment.NO_COLOR;
  const screen = isLive ? createScreen(out) : undefined;
  let plain = '';
  const draw = (progress: ClusterProgress) => {
    if (screen) return screen.draw(pictureOf(progress, options, color));
    const line = renderPlainLine(progress);
    if (line.slice(9) !== plain.slice(9)) out.write(`${line}\n`);
    plain = line;
  };
  let last: ClusterProgress | undefined;
  const loop = repeat(options.interval ?? (isLive ? 250 : 5000), async () => {
    try {
      last = await options.read();
      draw(last);
    } catch (error) {
      screen?.draw([`The state table cannot be read: ${error instanceof Error ? error.message : error}`]);
    }
  });
  return {
    async stop() {
      await loop.stop();
      screen?.end();
      if (last) out.write(`${renderSummary(last, { color }).join('\n')}\n`);
    },
  };
}

/** One column stays free: a full line would wrap in some terminals. */
function pictureOf(
  progress: ClusterProgress,
  { out, footer = [] }: TerminalOptions,
  color: boolean,
): readonly string[] {
  const below = footer.length === 0 ? [] : ['', ...footer];
  const height = Math.max(4, (out.rows ?? 24) - 1 - below.length);
  return [...renderTerminal(progress, { width: Math.max(20, (out.columns ?? 80) - 1), height, color }), ...below];
}

interface Screen {
  draw(lines: readonly string[]): void;
  end(): void;
}

/** Writes over the picture before instead of clearing it first, in one piece: that is what keeps it from flickering. */
function createScreen(out: TerminalOutput): Screen {
  let height = 0;
  out.write(hideCursor);
  return {
    draw(lines) {
      const up = height > 0 ? `\u001b[${height}A\r` : '';
      const text = lines.map((line) => `${line}${clearToLineEnd}\n`).join('');
      out.write(`${beginUpdate}${up}${text}${clearBelow}${endUpdate}`);
      height = lines.length;
    },
    end() {
      if (height > 0) out.write(`\u001b[${height}A\r${clearBelow}`);
      out.write(showCursor);
    },
  };
}

/** Runs `work` again and again, never twice at once; `stop` lets it run a last time. */
function repeat(interval: number, work: () => Promise<void>): { stop(): Promise<void> } {
  const stopped = new AbortController();
  const done = (async () => {
    for (;;) {
      await work();
      if (stopped.signal.aborted) return;
      await pause(interval, stopped.signal);
    }
  })();
  return {
    async stop() {
      stopped.abort();
      await done;
    },
  };
}

function pause(duration: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(finish, duration);
    function finish(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', finish);
      resolve();
    }
    signal.addEventListener('abort', finish);
  });
}
