// Terminal of a local run: progress of the start, then live frames, and keys.
import { systemClock } from '../../adapters/clock.ts';
import type { Loading, ScreenSnapshot } from '../../view/screenSnapshot.ts';
import { type KeyHandler, type KeyInput, readKeys } from './keys.ts';
import { startTerminal, type TerminalOutput } from './terminal.ts';

export interface Board {
  /** Shows progress of the start; without a terminal, prints a log line. */
  starting(loading: Loading): void;
  /** Sets the source of all further frames. */
  show(read: () => Promise<ScreenSnapshot>): void;
  onKey(handler: KeyHandler): void;
  /** Draws the next frame at once, after an action of the user. */
  redraw(): void;
  /** Prints the text at the end below the summary; without a terminal, at once. */
  say(text: string): void;
  /** Prints an address that is valid until the end; a terminal has it below each frame. */
  address(text: string): void;
  /** Idempotent. */
  stop(): Promise<void>;
}

export interface BoardOptions {
  readonly input: KeyInput;
  readonly out: TerminalOutput;
  readonly say: (text: string) => void;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Called when Ctrl-C is pressed, or q while no list or answer is open. */
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
  let onKey: KeyHandler = () => false;
  const later: string[] = [];
  let stopped: Promise<void> | undefined;
  const stopKeys = isLive ? readKeys(input, { onKey: (key) => onKey(key), end }) : () => undefined;
  const terminal = startTerminal({ read: () => read(), out, environment });
  const restore = () => {
    stopKeys();
    terminal.restore();
  };
  // A second Ctrl-C exits the process at once, without `stop`.
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
    address(text) {
      if (!isLive) say(text);
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
