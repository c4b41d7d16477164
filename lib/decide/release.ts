// Which entries of a claim's reservedFor no controller will ever remove: consumers that are not pods and that are gone (KEP-5194).
import type { Uid } from '../model/identity.ts';
import type { ConsumerReference, ConsumerState, ResourceClaim } from '../model/objects.ts';
import { isPod } from './reservedFor.ts';

export interface Release {
  /** What is left of reservedFor; as long as it was where nothing is removed. */
  readonly remaining: readonly ConsumerReference[];
  /** Entries that are undecided. */
  readonly waiting: readonly { readonly entry: ConsumerReference; readonly why: string }[];
}

/** Whether a claim is worth asking about. */
export function hasNonPodEntry({ reservedFor }: Pick<ResourceClaim, 'reservedFor'>): boolean {
  return reservedFor.some((entry) => !isPod(entry));
}

/**
 * An entry goes when its consumer is not found or is another one of the same name. A pod's entry is the resourceclaim
 * controller's. `states` by UID of the entry.
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
