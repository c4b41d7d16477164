// What a verb sees of its process: streams, environment, clock and the signal that ends it.

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
  /** The answer, and nothing else. */
  readonly out: OutputStream;
  /** Whatever is not the answer. */
  readonly err: OutputStream;
  readonly input: InputStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly signal: AbortSignal;
}

export function line(stream: OutputStream, text: string): void {
  stream.write(`${text}\n`);
}

/** Colours only for a person: NO_COLOR (no-color.org) and TERM=dumb turn them off. */
export function hasColor(stream: OutputStream, env: Io['env']): boolean {
  return stream.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';
}

/** Absent where no terminal shows the output: then nothing is cut. COLUMNS is what a shell says of a terminal without a size. */
export function widthOf(stream: OutputStream, env: Io['env']): number | undefined {
  if (stream.isTTY !== true) return undefined;
  return stream.columns || Number(env.COLUMNS) || 80;
}
