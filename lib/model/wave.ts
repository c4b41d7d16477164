// Many devices tainted alike at once, which may be the observer's fault and not theirs.
import type { StandingTaint } from './standing.ts';
import type { Instant } from './time.ts';

/** Where a wave lies. */
export type WaveScope =
  | { readonly kind: 'Pool'; readonly driver: string; readonly pool: string }
  /** With the class's expressions when the wave was found. */
  | { readonly kind: 'Class'; readonly name: string; readonly selectors: readonly string[] };

/** A wave as it was shown to people; approving its digest lets its taints evict. */
export interface WaveOffer {
  readonly digest: string;
  readonly devices: number;
}

/** Taints of one key that came to most of a pool or class at once; it lasts until the last of them is lifted. */
export interface Wave {
  /** Name of the EvictionPolicy that asked. */
  readonly policy: string;
  readonly scope: WaveScope;
  readonly key: string;
  /** Who says so of one device or another, sorted. */
  readonly sources: readonly StandingTaint['source'][];
  /** When the first and the last of those came that made it one. */
  readonly from: Instant;
  readonly to: Instant;
  /** Devices tainted alike now. */
  readonly devices: number;
  /** Devices of the pool or class. */
  readonly total: number;
  /** Oldest first; never empty. */
  readonly offers: readonly WaveOffer[];
}

/** What tells waves apart. */
export function waveKey({ policy, scope, key }: Pick<Wave, 'policy' | 'scope' | 'key'>): string {
  const where = scope.kind === 'Pool' ? `Pool|${scope.driver}|${scope.pool}` : `Class|${scope.name}`;
  return `${policy}|${where}|${key}`;
}
