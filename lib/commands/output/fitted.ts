// Breaks lines for people so that they fit into the terminal.
import { wrapped } from '../../view/ink.ts';
import { type Io, line, type OutputStream, widthOf } from '../io.ts';

export interface Fit {
  /** Absent: nothing is broken. */
  readonly width?: number | undefined;
  /** Characters of the line before its text, below which it continues; default: the blanks at its beginning, and two more. */
  readonly hang?: number | undefined;
}

/** Breaks at spaces only: a longer word can still be copied. */
export function fittedLine(text: string, { width, hang }: Fit): readonly string[] {
  if (width === undefined || text.length <= width) return [text];
  const label = hang ?? text.search(/\S|$/);
  const before = hang ?? label + 2;
  const [first = '', ...rest] = wrapped(text.slice(label), Math.max(1, width - before));
  return [`${text.slice(0, label)}${first}`, ...rest.map((one) => `${' '.repeat(before)}${one}`)];
}

/** Lines for people, in the width of the terminal. */
export function fitLine(
  out: OutputStream,
  text: string,
  by: { readonly env: Io['env']; readonly hang?: number },
): void {
  for (const one of fittedLine(text, { width: widthOf(out, by.env), hang: by.hang })) line(out, one);
}
