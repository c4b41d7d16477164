// Ranges of keys: fixed functions of a key, the same in every release, so that a manifest of one process is understood by all others.

/** A range is the first byte of the hash of a key. */
export const rangeCount = 256;

/** Watermarks of so many neighbouring ranges are one row, and their heads one partition of the index. */
export const rangesPerRow = 16;

/** FNV-1a over UTF-16 code units; stable forever, because rows are found by it. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

export function rangeOf(key: string): number {
  return hashOf(key) >>> 24;
}

/** Two hexadecimal digits, so that text order is number order. */
export function rangeText(range: number): string {
  return range.toString(16).padStart(2, '0');
}

/** The row of watermarks that a range belongs to. */
export function groupOf(range: number): number {
  return Math.floor(range / rangesPerRow);
}

/** Neighbouring ranges, both ends included. */
export interface Ranges {
  readonly from: number;
  readonly to: number;
}

/** The same ranges, cut where another row of watermarks begins. */
export function byGroup({ from, to }: Ranges): readonly (Ranges & { readonly group: number })[] {
  const parts: (Ranges & { readonly group: number })[] = [];
  for (let group = groupOf(from); group <= groupOf(to); group++) {
    const first = group * rangesPerRow;
    parts.push({ group, from: Math.max(from, first), to: Math.min(to, first + rangesPerRow - 1) });
  }
  return parts;
}
