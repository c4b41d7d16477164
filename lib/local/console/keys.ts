// Reads single keys from a terminal; Ctrl-C ends the program as SIGINT does, and so does q unless it closes a list or an answer.
import type { ReadStream } from 'node:tty';

export type KeyInput = Pick<ReadStream, 'isTTY' | 'setRawMode' | 'on' | 'off' | 'resume' | 'pause'>;

/** Whether the key closed a list or an answer, so that it does nothing else. */
export type KeyHandler = (key: string) => boolean;

const ctrlC = '\u0003';
const escapeKey = '\u001b';

/** An arrow or function key is one escape sequence; all else is one character. */
const oneKey = new RegExp(`${escapeKey}(?:\\[[\\d;]*[A-Za-z~]|O[A-Za-z])|[^]`, 'gu');

/** Returns a function that restores the terminal. Reads nothing without a terminal. */
export function readKeys(input: KeyInput, by: { readonly onKey: KeyHandler; readonly end: () => void }): () => void {
  if (!input.isTTY) return () => undefined;
  const read = (data: Buffer) => {
    for (const [key] of data.toString('utf8').matchAll(oneKey))
      if (key === ctrlC || (!by.onKey(key) && key === 'q')) by.end();
  };
  // A closed terminal fails when its mode is restored; unhandled, that would keep other handlers of the exit from removing files.
  input.on('error', () => undefined);
  input.setRawMode(true);
  input.on('data', read);
  input.resume();
  return () => {
    input.off('data', read);
    input.setRawMode(false);
    input.pause();
  };
}

/** Runs what keys do one after the other, so that each sees what the one before has done. */
export function inTurn(act: (key: string) => Promise<void>): (key: string) => Promise<void> {
  let last = Promise.resolve();
  return (key) => {
    const done = last.then(() => act(key));
    last = done.catch(() => undefined);
    return done;
  };
}

/** Lines by which a key moves a long answer; the arrows are in the forms of normal and application mode. */
export const scrollKeys: ReadonlyMap<string, number> = new Map([
  [`${escapeKey}[A`, -1],
  [`${escapeKey}[B`, 1],
  [`${escapeKey}OA`, -1],
  [`${escapeKey}OB`, 1],
  ['k', -1],
  ['j', 1],
]);
