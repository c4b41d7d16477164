// Entries of a claim's reservedFor that no controller will remove: consumers that are not pods and no longer exist (KEP-5194).
import type { Uid } from '../model/identity.ts';
import type { ConsumerReference, ConsumerState, ResourceClaim } from '../model/objects.ts';
import { isPod } from './reservedFor.ts';

export interface Release {
  /** reservedFor after the removal. */
  readonly remaining: readonly ConsumerReference[];
  /** Entries whose consumer's state is unknown. */
  readonly waiting: readonly { readonly entry: ConsumerReference; readonly why: string }[];
}

/** Whether a claim has an entry to check. */
export function hasNonPodEntry({ reservedFor }: Pick<ResourceClaim, 'reservedFor'>): boolean {
  return reservedFor.some((entry) => !isPod(entry));
}

/**
 * Removes an entry if its consumer is not found, or has another UID. Entries of pods belong to the resourceclaim controller. `states`: by
 * UID of the entry.
 */
export function releaseOf(reservedFor: readonly ConsumerReference[], states: ReadonlyMap<Uid, ConsumerState>): Release {
  const judged = reservedFor.map((entry) => ({ entry, state: isPod(entry) ? undefined : states.get(entry.uid) }));
  const isStale = ({ entry, state }: (typeof judged)[number]) =>
    state?.kind === 'NotFound' || (state?.kind === 'Found' && state.uid !== entry.uid);
  return {
    remaining: judged.filter((one) => !isStale(one)).map(({ entry }) => entry),
    waiting: judged.flatMap(({ entry, state }) => (state?.kind === 'Unknown' ? [{ entry, why: state.why }] : [])),
  };
}
