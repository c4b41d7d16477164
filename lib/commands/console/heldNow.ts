// Whether a rule is held at the moment of the page: the table knows it before the condition of the rule is written.
import { pausedBy } from '../../model/hold.ts';
import type { LimiterProgress } from '../../view/progress.ts';
import { isMoving } from '../../view/stateLabel.ts';

export type HeldNow =
  | { readonly kind: 'Held'; readonly why: string }
  | { readonly kind: 'NotHeld' }
  /** The table says nothing of this rule: its condition is all that is known. */
  | { readonly kind: 'Unknown' };

/** `limiters` are those of the page, so that a banner and a card never show numbers of two moments. */
export function heldNow(
  limiters: readonly Pick<LimiterProgress, 'limiter' | 'state' | 'isEvaluating' | 'heldBecause'>[],
  uid: string,
): HeldNow {
  const own = limiters.filter((one) => isMoving(one) && one.limiter.startsWith(`rule|${uid}`));
  if (own.length === 0) return { kind: 'Unknown' };
  const [why] = own.flatMap(({ heldBecause }) => heldBecause ?? []);
  // A pause is a notice of its own.
  return why === undefined || why.startsWith(pausedBy) ? { kind: 'NotHeld' } : { kind: 'Held', why };
}
