// Differences that are meant: what they look like, why, and the decision record.

export interface DeclaredDifference {
  readonly name: string;
  readonly why: string;
  /** File in docs/adr/. */
  readonly adr: string;
  /** Whether a line of a comparison is this difference. */
  readonly matches: (line: string) => boolean;
}

export const declared: readonly DeclaredDifference[] = [];

export function undeclared(lines: readonly string[]): readonly string[] {
  return lines.filter((line) => !declared.some(({ matches }) => matches(line)));
}
