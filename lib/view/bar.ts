// Text progress bar: evicted, deleting, pending and waiting pods, distinguished by shape as well as colour.
import type { Ink } from './ink.ts';
import type { PodCounts } from './progress.ts';

const kinds = ['evicted', 'deleting', 'pending', 'waiting'] as const;

export interface BarLook {
  readonly cells: number;
  /** Number of pods of a full bar. */
  readonly total: number;
  readonly ink: Ink;
}

/** Exactly `cells` characters wide; each non-zero count gets at least one cell if there is room. */
export function renderBar(counts: PodCounts, { cells, total, ink }: BarLook): string {
  const pods = kinds.map((kind) => counts[kind]);
  const rest = Math.max(0, total - pods.reduce((sum, one) => sum + one, 0));
  const widths = shares([...pods, rest], cells).slice(0, kinds.length);
  const used = widths.reduce((sum, one) => sum + one, 0);
  const paint = [ink.green, ink.cyan, ink.yellow, ink.dim];
  const shapes = ['█', '▓', '▒', '░'];
  const parts = widths.map((width, i) => (width === 0 ? '' : (paint[i] ?? ink.dim)((shapes[i] ?? ' ').repeat(width))));
  return `${parts.join('')}${ink.dim('·'.repeat(cells - used))}`;
}

/** One cell for each non-zero count, then each further cell to the count furthest below its share. */
function shares(counts: readonly number[], cells: number): readonly number[] {
  const total = counts.reduce((sum, one) => sum + one, 0);
  const widths: number[] = counts.map((count) => (count > 0 ? 1 : 0));
  const lack = (i: number) => (cells * (counts[i] ?? 0)) / total - (widths[i] ?? 0);
  let spare = total === 0 ? 0 : cells - widths.reduce((sum, one) => sum + one, 0);
  for (; spare > 0; spare--) {
    const neediest = widths.reduce((best, _, i) => (lack(i) > lack(best) ? i : best), 0);
    widths[neediest] = (widths[neediest] ?? 0) + 1;
  }
  return widths;
}
