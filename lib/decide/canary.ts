// The state of a taint's canary: the first pods are evicted, then evictions pause for a time, then all other pods are evicted.
import type { Hold } from '../model/hold.ts';
import type { Uid } from '../model/identity.ts';
import type { Canary, EvictionPolicy } from '../model/policy.ts';
import { formatInstant, type Instant, type Milliseconds } from '../model/time.ts';

/** A permit of the canary and its pod, which is being deleted or was deleted at `deletedAt`. */
export interface CanarySeat {
  readonly seat: number;
  readonly uid: Uid;
  readonly deletedAt?: Instant;
}

export type CanaryState =
  /** `free`: unused permits. */
  | { readonly kind: 'Running'; readonly went: number; readonly free: readonly number[] }
  | { readonly kind: 'Holding'; readonly went: number; readonly last: Instant; readonly until: Instant }
  | { readonly kind: 'Passed' };

/** The hold starts at the last deletion. If the canary is enlarged, only the missing pods are evicted. */
export function canaryState(canary: Canary, seats: readonly CanarySeat[], now: Instant): CanaryState {
  const deleted = seats.flatMap(({ deletedAt }) => deletedAt ?? []);
  const went = deleted.length;
  if (went < canary.pods) {
    const taken = new Set(seats.map(({ seat }) => seat));
    const all = Array.from({ length: canary.pods }, (_, seat) => seat);
    const room = Math.max(0, canary.pods - seats.length);
    return { kind: 'Running', went, free: all.filter((seat) => !taken.has(seat)).slice(0, room) };
  }
  const last = Math.max(...deleted);
  const until = last + canary.hold;
  return now < until ? { kind: 'Holding', went, last, until } : { kind: 'Passed' };
}

/** Why pods are pending; `undefined` if the canary holds no pod. `waiting`: pods with a listing that are not being deleted. */
export function canaryHold(
  { name, canary }: Pick<EvictionPolicy, 'name' | 'canary'>,
  state: CanaryState,
  waiting: number,
): Hold | undefined {
  if (!canary || state.kind === 'Passed') return undefined;
  const kept = waiting - (state.kind === 'Running' ? state.free.length : 0);
  if (kept <= 0) return undefined;
  const how =
    state.kind === 'Running'
      ? `${state.went} of ${canary.pods} pods evicted; ${kept} more wait until all of these are evicted, and ${describe(canary.hold)} longer`
      : `${state.went} pod${state.went === 1 ? '' : 's'} evicted, the last at ${formatInstant(state.last)}; ${kept} more wait until ${formatInstant(state.until)}`;
  return { reason: 'Canary', message: `Canary of EvictionPolicy ${name}: ${how}.` };
}

function describe(duration: Milliseconds): string {
  const seconds = Math.floor(duration / 1000);
  const parts = [
    [Math.floor(seconds / 3600), 'h'],
    [Math.floor(seconds / 60) % 60, 'm'],
    [seconds % 60, 's'],
  ] as const;
  const named = parts.filter(([n]) => n > 0).map(([n, unit]) => `${n}${unit}`);
  return named.join('') || `${duration}ms`;
}
