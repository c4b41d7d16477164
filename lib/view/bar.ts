// A progress bar of characters: evicted, with a slot, in line, waiting; told apart by shape as well as by colour.
import type { Ink } from './ink.ts';
import type { PodCounts } from './progress.ts';

const kinds = ['evicted', 'reserved', 'pending', 'waiting'] as const;

export interface BarLook {
  readonly cells: number;
  /** Pods that a full bar stands for. */
  readonly total: number;
  readonly ink: Ink;
}

/** Exactly `cells` characters wide; whatever is not zero gets at least one cell while there is room. */
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

/** Largest remainders, after one cell for each count that is not zero. */
function shares(counts: readonly number[], cells: number): readonly number[] {
  const total = counts.reduce((sum, one) => sum + one, 0);
  if (total === 0) return counts.map(() => 0);
  const exact = counts.map((count) => (cells * count) / total);
  const widths = exact.map((share, i) => (counts[i] === 0 ? 0 : Math.max(1, Math.floor(share))));
  const byNeed = exact.map((share, i) => ({ i, need: share - (widths[i] ?? 0) })).sort((a, b) => b.need - a.need);
  let spare = cells - widths.reduce((sum, one) => sum + one, 0);
  for (const { i } of byNeed)
    if (spare > 0 && (counts[i] ?? 0) > 0) [widths[i], spare] = [(widths[i] ?? 0) + 1, spare - 1];
  for (const { i } of byNeed.toReversed())
    if (spare < 0 && (widths[i] ?? 0) > 1) [widths[i], spare] = [(widths[i] ?? 0) - 1, spare + 1];
  return widths;
}
