// Captures a verb's standard output as lines, to show them on a page.
import { Readable } from 'node:stream';
import type { Io } from '../io.ts';

export function captured(io: Io): { readonly io: Io; readonly lines: () => readonly string[] } {
  let text = '';
  return {
    io: {
      ...io,
      input: Readable.from([]),
      out: { write: (part) => (text += part) },
      err: { write: () => undefined },
    },
    lines: () => text.split('\n').filter((one) => one.trim() !== ''),
  };
}
