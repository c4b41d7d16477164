// The transition of a pod's ledger from its stored state, the verdict and the current time.
import type { Ledger } from '../model/eviction.ts';
import type { Pod } from '../model/objects.ts';
import type { Instant } from '../model/time.ts';
import type { Verdict } from '../model/verdict.ts';
import { evictionOrder, keptReasons, listingsOf } from './limiter.ts';
import { inLine } from './line.ts';
import { keptBy, loopsAt } from './loop.ts';
import { delayedBy, waysUnder } from './mode.ts';
import { policyOf, type RuleSet } from './rate.ts';
import { isSame } from './same.ts';

export type Plan =
  /** No ledger is needed. */
  | { readonly kind: 'Keep' }
  /** The ledger does not change. */
  | { readonly kind: 'Unchanged' }
  | { readonly kind: 'List' | 'Cancel' | 'Gone'; readonly ledger: Ledger };

export interface PlanInput {
  readonly pod: Pod;
  /** The pod has been deleted; `pod` is its last state. */
  readonly gone: boolean;
  readonly verdict: Verdict;
  /** A ledger of another UID counts as absent. */
  readonly ledger: Ledger | undefined;
  /** Policies and namespaces, which set the eviction mode per limiter. */
  readonly ruleSet: RuleSet;
  readonly now: Instant;
}

export function planLedger(input: PlanInput): Plan {
  const { pod, verdict } = input;
  const ledger = input.ledger?.podUid === pod.uid ? input.ledger : undefined;
  // A ledger in Deleting belongs to the evictor that holds its lease; Evicted and Gone are final for this UID.
  if (ledger && ['Deleting', 'Evicted', 'Gone'].includes(ledger.state)) return { kind: 'Unchanged' };
  if (input.gone || pod.deletionTimestamp !== undefined) {
    return ledger ? { kind: 'Gone', ledger: closed(ledger, 'Gone') } : { kind: 'Keep' };
  }
  if (verdict.kind === 'EvictAt') return planEviction(input, verdict, ledger);
  if (!ledger) return { kind: 'Keep' };
  const { isPassing = false } = verdict;
  if (ledger.state === 'Cancelled' && (!ledger.untold || isPassing)) return { kind: 'Unchanged' };
  return { kind: 'Cancel', ledger: { ...closed(ledger, 'Cancelled'), ...(isPassing ? { untold: true } : {}) } };
}

function planEviction(
  input: PlanInput,
  verdict: Extract<Verdict, { kind: 'EvictAt' }>,
  ledger: Ledger | undefined,
): Plan {
  const { pod } = input;
  const isOpen = ledger?.state === 'Pending';
  const { blocked, failed } = isOpen ? ledger : {};
  const notBefore = Math.max(...[blocked, failed].flatMap((kept) => kept?.until ?? []));
  const wayOf = waysUnder(pod, input.ruleSet);
  const taken = listingsOf(verdict);
  const problem = taken.flatMap(({ limiter }) => wayOf(limiter).problem ?? [])[0];
  const loops = isOpen && ledger.loops ? loopsAt(ledger.loops, taken, input.now) : [];
  const listings = delayedBy(wayOf, taken)
    .map((listing) => inLine(listing, pod, policyOf(listing.limiter, input.ruleSet)))
    .map((listing) => ({ ...listing, dueAt: Math.max(listing.dueAt, notBefore) }))
    .map((listing) => keptBy(listing, loops));
  const listed: Ledger = {
    podUid: pod.uid,
    state: 'Pending',
    listings,
    ...keptReasons(verdict.because),
    ...(blocked ? { blocked } : {}),
    ...(failed ? { failed } : {}),
    ...(loops.length > 0 ? { loops } : {}),
    ...(isOpen && ledger.openedAt !== undefined ? { openedAt: ledger.openedAt } : {}),
    ...(problem === undefined ? {} : { problem }),
    order: evictionOrder(pod),
  };
  return unlessSame(ledger, listed);
}

function closed(ledger: Ledger, state: 'Gone' | 'Cancelled'): Ledger {
  const { token: _, leaseUntil: __, untold: ___, ...rest } = ledger;
  return { ...rest, state, listings: [] };
}

function unlessSame(before: Ledger | undefined, next: Ledger): Plan {
  return isSame(before, next) ? { kind: 'Unchanged' } : { kind: 'List', ledger: next };
}
