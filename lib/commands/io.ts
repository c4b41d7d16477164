// Process environment of a verb: streams, environment variables, clock and abort signal.
import { mapUncolored } from '../view/ink.ts';

export interface OutputStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
}

export interface InputStream extends AsyncIterable<Buffer | string> {
  readonly isTTY?: boolean;
}

export interface Io {
  /** Results only. */
  readonly out: OutputStream;
  /** Progress, warnings and errors. */
  readonly err: OutputStream;
  readonly input: InputStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly signal: AbortSignal;
}

/** Control characters, except line ends and tabs: a terminal obeys them, and texts from a cluster may hold any. */
const obeyed = /[^\P{Cc}\n\t]|\p{Cf}/gu;

/** A line for people. */
export function line(stream: OutputStream, text: string): void {
  stream.write(`${text.replace(obeyed, '?')}\n`);
}

/** A line with colours of our own. */
export function inkLine(stream: OutputStream, text: string): void {
  stream.write(`${mapUncolored(text, (piece) => piece.replace(obeyed, '?'))}\n`);
}

/** A line for programs, unchanged. */
export function dataLine(stream: OutputStream, text: string): void {
  stream.write(`${text}\n`);
}

/** Colours only on a terminal; NO_COLOR (no-color.org) and TERM=dumb disable them. */
export function hasColor(stream: OutputStream, env: Io['env']): boolean {
  return stream.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';
}

/** Absent if the output is not a terminal: then nothing is truncated. COLUMNS is used if the terminal reports no size. */
export function widthOf(stream: OutputStream, env: Io['env']): number | undefined {
  if (stream.isTTY !== true) return undefined;
  return stream.columns || Number(env.COLUMNS) || 80;
}
