// Why a selector was refused at compile time: a message and its position in the text.

/** Line and column count from 1, the column in UTF-16 units; offset from 0. */
export interface Position {
  readonly offset: number;
  readonly line: number;
  readonly column: number;
}

/** Thrown during parsing and checking; `compile` converts it to a result, so it never leaves lib/cel. */
export class Refusal extends Error {
  readonly at: number;

  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

export function positionOf(text: string, at: number): Position {
  const offset = Math.max(0, Math.min(at, text.length));
  const before = text.slice(0, offset);
  const line = before.split('\n').length;
  return { offset, line, column: offset - before.lastIndexOf('\n') };
}
