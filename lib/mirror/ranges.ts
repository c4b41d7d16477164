// Ranges of keys: a fixed function of the key, the same in every release, so that any process understands any manifest.

/** The range of a key is the first byte of its hash. */
export const rangeCount = 256;

/** Number of adjacent ranges whose watermarks share one row and whose heads share one index partition. */
export const rangesPerRow = 16;

/** FNV-1a over UTF-16 code units. Must never change: keys of stored rows depend on it. */
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

/** Number of the watermark row that holds a range. */
export function groupOf(range: number): number {
  return Math.floor(range / rangesPerRow);
}

/** Adjacent ranges, both ends included. */
export interface Ranges {
  readonly from: number;
  readonly to: number;
}

/** Splits ranges by watermark row. */
export function byGroup({ from, to }: Ranges): readonly (Ranges & { readonly group: number })[] {
  const parts: (Ranges & { readonly group: number })[] = [];
  for (let group = groupOf(from); group <= groupOf(to); group++) {
    const first = group * rangesPerRow;
    parts.push({ group, from: Math.max(from, first), to: Math.min(to, first + rangesPerRow - 1) });
  }
  return parts;
}
