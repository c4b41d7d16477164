// The terminal of a local run from its first moment to its end: what is being started, then what happens; and its keys.
import { systemClock } from '../../adapters/clock.ts';
import type { Loading, ScreenSnapshot } from '../../view/screenSnapshot.ts';
import { type KeyInput, readKeys } from './keys.ts';
import { startTerminal, type TerminalOutput } from './terminal.ts';

export interface Board {
  /** What is being started; a line of the log where there is no terminal. */
  starting(loading: Loading): void;
  /** What every further frame is drawn from. */
  show(read: () => Promise<ScreenSnapshot>): void;
  onKey(handler: (key: string) => void): void;
  /** Something was done that the next frame shows; it is drawn at once. */
  redraw(): void;
  /** Said at the end, below the summary; at once where there is no terminal. */
  say(text: string): void;
  /** May be called again. */
  stop(): Promise<void>;
}

export interface BoardOptions {
  readonly input: KeyInput;
  readonly out: TerminalOutput;
  readonly say: (text: string) => void;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Ctrl-C or q was pressed. */
  readonly end: () => void;
}

export function startBoard({ input, out, say, environment, end }: BoardOptions): Board {
  const isLive = out.isTTY === true && environment.TERM !== 'dumb';
  let loading: Loading = { step: 'Starting.', done: 0, of: 0 };
  let read: () => Promise<ScreenSnapshot> = async () => ({
    at: systemClock.now(),
    loading,
    footer: ['Ctrl-C stops everything'],
  });
  let onKey = (_: string) => {};
  const later: string[] = [];
  let stopped: Promise<void> | undefined;
  const stopKeys = isLive ? readKeys(input, { onKey: (key) => onKey(key), end }) : () => undefined;
  const terminal = startTerminal({ read: () => read(), out, environment });
  const restore = () => {
    stopKeys();
    terminal.restore();
  };
  // A second Ctrl-C ends the process at once.
  process.once('exit', restore);
  return {
    starting(next) {
      loading = next;
      if (!isLive) say(next.step);
    },
    show(next) {
      read = next;
    },
    onKey(handler) {
      onKey = handler;
    },
    redraw: () => terminal.redraw(),
    say(text) {
      if (isLive) later.push(text);
      else say(text);
    },
    stop() {
      stopped ??= (async () => {
        stopKeys();
        await terminal.stop();
        process.off('exit', restore);
        for (const text of later) say(text);
      })();
      return stopped;
    },
  };
}
