// Whether a rule is held now, by state table and condition: they are written one after the other, and a page shows numbers of one moment.
import { conditionsOf } from '../../adapters/kubernetes/projectRule.ts';
import type { Json } from '../../adapters/kubernetes/read.ts';
import { policyOf } from '../../decide/rate.ts';
import { pausedBy } from '../../model/hold.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import { namesStops } from '../../model/stop.ts';
import { isSlice } from '../../view/episodes.ts';
import type { LimiterProgress } from '../../view/progress.ts';
import { isMoving } from '../../view/stateLabel.ts';
import { nameOf, uidOf } from '../cluster/objects.ts';

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

/** What of a held rule or policy is held: its limiters that the state table holds, or all of it where only its condition is known. */
export function heldIds(
  limiters: readonly Pick<LimiterProgress, 'limiter' | 'state' | 'isEvaluating' | 'heldBecause'>[],
  uid: string,
): readonly string[] {
  const own = limiters.filter((one) => isMoving(one) && one.limiter.startsWith(`rule|${uid}`));
  if (own.length === 0) return [uid];
  return own.filter(({ heldBecause }) => heldBecause !== undefined).map(({ limiter }) => limiter);
}

/** By its condition: pods that it would evict wait for something other than a pause or an EvictionStop, which have their own notices. */
export function isHeldObject(object: Json): boolean {
  return conditionsOf(object).some(
    ({ type, status, reason, message }) =>
      type === 'sluice.dev/Held' && status === 'True' && reason !== 'Paused' && !namesStops(message),
  );
}

/** Instead of a condition with numbers that the state table does not have yet. */
export const beingCounted = 'Its pods are being counted.';

/** As the messages of canaries and approvals count them. */
const podsCounted = /\b[1-9]\d* (?:pods in \d+ namespaces|more wait)\b/;

/** The condition of a held rule or policy counts pods, and the state table lists none of them: one of the two is older. */
export function isCounting(
  object: Json,
  { limiters, snapshot }: { readonly limiters: readonly LimiterProgress[]; readonly snapshot: Snapshot },
): boolean {
  const held = conditionsOf(object).find(({ type }) => type === 'sluice.dev/Held');
  if (!podsCounted.test(held?.message ?? '')) return false;
  const isOwn =
    object.kind === 'EvictionPolicy'
      ? ({ limiter }: LimiterProgress) => isSlice(limiter) && policyOf(limiter, snapshot)?.name === nameOf(object)
      : ({ limiter }: LimiterProgress) => limiter.startsWith(`rule|${uidOf(object)}`);
  return !limiters.some((one) => isMoving(one) && isOwn(one));
}
