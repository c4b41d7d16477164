// Since when taints have stood on devices, as Sluice itself saw them come and go.
import type { Instant, Milliseconds } from './time.ts';

/** A policy can ask for no longer one (EvictionPolicy spec.healthyDelay): for so long a device's healing is remembered. */
export const longestHealthyDelay: Milliseconds = 24 * 3_600_000;

/** A taint of a slice on one device that evicts (effect NoExecute); known by its key, whatever its value. */
export interface StandingTaint {
  readonly source: 'ResourceSlice' | 'DeviceTaintSlice';
  readonly key: string;
  /** When it was seen to come. */
  readonly since: Instant;
  /** When the one before it was seen to go: from then until `since` the device was healed. */
  readonly healedAt?: Instant;
  /** When it was seen to go; absent while it stands. */
  readonly liftedAt?: Instant;
}

/** By `driver|pool|device`; devices whose taints were never seen are not in it. */
export type StandingTaints = ReadonlyMap<string, readonly StandingTaint[]>;

/** Why a taint evicts later than its own time says, and by whose policy. */
export interface TaintDelay {
  readonly reason: 'MinimumAge' | 'HealthyDelay' | 'NotSeenYet' | 'BrokenObserver';
  /** Name of the EvictionPolicy. */
  readonly policy: string;
}
