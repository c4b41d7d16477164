// Since when taints have been present on devices, as Sluice itself observed.
import type { Instant, Milliseconds } from './time.ts';

/** Maximum of EvictionPolicy spec.healthyDelay; a removed taint is remembered for this long. */
export const longestHealthyDelay: Milliseconds = 24 * 3_600_000;

/** An evicting slice taint (effect NoExecute) on one device, identified by its key; the value is ignored. */
export interface StandingTaint {
  readonly source: 'ResourceSlice' | 'DeviceTaintSlice';
  readonly key: string;
  /** When the taint was first seen. */
  readonly since: Instant;
  /** When the previous taint was removed: from then until `since` the device was healthy. */
  readonly healedAt?: Instant;
  /** When the taint was removed; absent while it is present. */
  readonly liftedAt?: Instant;
}

/** By `driver|pool|device`; without devices that never had such a taint. */
export type StandingTaints = ReadonlyMap<string, readonly StandingTaint[]>;

/** Why a taint evicts later than its own time, and which policy delays it. */
export interface TaintDelay {
  readonly reason: 'MinimumAge' | 'HealthyDelay' | 'NotSeenYet' | 'BrokenObserver';
  /** Name of the EvictionPolicy. */
  readonly policy: string;
}
