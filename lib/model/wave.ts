// A wave: many devices that get the same taint at once, perhaps because their observer is broken.
import type { StandingTaint } from './standing.ts';
import type { Instant } from './time.ts';

/** The pool or class of a wave. */
export type WaveScope =
  | { readonly kind: 'Pool'; readonly driver: string; readonly pool: string }
  /** `selectors`: the class's expressions when the wave was found. */
  | { readonly kind: 'Class'; readonly name: string; readonly selectors: readonly string[] };

/** A wave as shown to people; approving its digest lets its taints evict. */
export interface WaveOffer {
  readonly digest: string;
  readonly devices: number;
}

/** Taints of one key on most of a pool or class; the wave lasts until the last of them is removed. */
export interface Wave {
  /** Name of the EvictionPolicy that watches for waves. */
  readonly policy: string;
  readonly scope: WaveScope;
  readonly key: string;
  /** Sources of the taints, sorted. */
  readonly sources: readonly StandingTaint['source'][];
  /** First and last time of the taints that made it a wave. */
  readonly from: Instant;
  readonly to: Instant;
  /** Devices that have the taint now. */
  readonly devices: number;
  /** Devices of the pool or class. */
  readonly total: number;
  /** Oldest first; never empty. */
  readonly offers: readonly WaveOffer[];
}

/** Identity of a wave. */
export function waveKey({ policy, scope, key }: Pick<Wave, 'policy' | 'scope' | 'key'>): string {
  const where = scope.kind === 'Pool' ? `Pool|${scope.driver}|${scope.pool}` : `Class|${scope.name}`;
  return `${policy}|${where}|${key}`;
}
