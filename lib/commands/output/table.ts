// Formats rows like kubectl: upper-case header, three spaces between columns, lines cut to the width of the terminal.
import { printable } from '../../view/ink.ts';

export interface Column<T> {
  readonly name: string;
  /** Shown with `-o wide` only. */
  readonly wide?: true;
  readonly of: (item: T) => string;
  /** The column is left out if all of its cells are empty. */
  readonly isOptional?: true;
  /** Truncated last, because users copy names. */
  readonly isName?: true;
}

const gap = 3;
const narrowest = 8;

/** `width` absent: nothing is truncated. */
export function tableLines<T>(
  columns: readonly Column<T>[],
  items: readonly T[],
  options: { readonly width?: number | undefined; readonly hasHeader?: boolean } = {},
): readonly string[] {
  const { width, hasHeader = true } = options;
  const cells = items.map((item) => columns.map((column) => printable(column.of(item)) || '-'));
  const head = columns.map(({ name }) => name);
  const natural = head.map((name, i) => Math.max(name.length, ...cells.map((row) => row[i]?.length ?? 0)));
  const widths = width === undefined ? natural : fitted(natural, columns, width);
  return [...(hasHeader ? [head] : []), ...cells].map((row) =>
    row
      .map((text, i) => clip(text, widths[i] ?? 0).padEnd(widths[i] ?? 0))
      .join(' '.repeat(gap))
      .trimEnd(),
  );
}

/** Shrinks the widest columns first, and name columns last. */
function fitted(natural: readonly number[], columns: readonly Column<never>[], width: number): readonly number[] {
  const widths = [...natural];
  const total = () => widths.reduce((sum, one) => sum + one, 0) + gap * (widths.length - 1);
  for (const mayCut of [(i: number) => !columns[i]?.isName, () => true])
    while (total() > width) {
      const candidates = widths.map((one, i) => ({ one, i })).filter(({ one, i }) => one > narrowest && mayCut(i));
      const widest = candidates.sort((a, b) => b.one - a.one)[0];
      if (!widest) break;
      widths[widest.i] = Math.max(
        narrowest,
        Math.min(widest.one - 1, widest.one - (total() - width)),
        secondOf(candidates),
      );
    }
  return widths;
}

/** Width of the second widest column, the lower bound of one shrinking step; 0 if both are equally wide. */
function secondOf(candidates: readonly { readonly one: number }[]): number {
  const [first, second] = candidates;
  return first && second && second.one < first.one ? second.one : 0;
}

function clip(text: string, width: number): string {
  return text.length > width ? `${text.slice(0, Math.max(0, width - 1))}…` : text;
}
