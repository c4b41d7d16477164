// Whether a rule is held now: the state table is updated before the condition of the rule.
import { conditionsOf } from '../../adapters/kubernetes/projectRule.ts';
import type { Json } from '../../adapters/kubernetes/read.ts';
import { pausedBy } from '../../model/hold.ts';
import { namesStops } from '../../model/stop.ts';
import type { LimiterProgress } from '../../view/progress.ts';
import { isMoving } from '../../view/stateLabel.ts';

export type HeldNow =
  | { readonly kind: 'Held'; readonly why: string }
  | { readonly kind: 'NotHeld' }
  /** The state table has no entry for this rule; only its condition is known. */
  | { readonly kind: 'Unknown' };

/** `limiters`: from the same read as the page, so that banner and card always agree. */
export function heldNow(
  limiters: readonly Pick<LimiterProgress, 'limiter' | 'state' | 'isEvaluating' | 'heldBecause'>[],
  uid: string,
): HeldNow {
  const own = limiters.filter((one) => isMoving(one) && one.limiter.startsWith(`rule|${uid}`));
  if (own.length === 0) return { kind: 'Unknown' };
  const [why] = own.flatMap(({ heldBecause }) => heldBecause ?? []);
  if (why === undefined || why.startsWith(pausedBy) || namesStops(why)) return { kind: 'NotHeld' };
  return { kind: 'Held', why };
}

/** By its condition: pods that it would evict wait for something other than a pause or an EvictionStop, which have their own notices. */
export function isHeldObject(object: Json): boolean {
  return conditionsOf(object).some(
    ({ type, status, reason, message }) =>
      type === 'sluice.dev/Held' && status === 'True' && reason !== 'Paused' && !namesStops(message),
  );
}
