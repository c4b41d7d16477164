// How a cluster gets from the modes that it runs at to those that are wanted.
import {
  type ConfiguredModes,
  isLower,
  type Mode,
  type Modes,
  type Source,
  type StoredModes,
  sources,
  wantedModes,
} from '../model/ownership.ts';
import type { Instant, Milliseconds } from '../model/time.ts';

/** How long the plan of a source that is to evict again can be read before its first pod goes. */
export const planShownFor: Milliseconds = 30_000;

export interface Switching {
  /** What to store. */
  readonly modes: StoredModes;
  /** Sources that run at another mode now: their pods have to be looked at again. */
  readonly changed: readonly Source[];
  /** Of those, ones that do more than before, so that pods are concerned that are not listed. */
  readonly raised: readonly Source[];
  /** Sources whose plan has to be there before `modes` is stored. */
  readonly begun: readonly Source[];
}

interface Step {
  readonly mode: Mode;
  /** Since when its plan can be read, where it is to evict again. */
  readonly since?: Instant;
}

/**
 * Less takes effect at once, and so does shadow, which deletes nothing. A source that will evict again first shows its plan, which
 * needs rights to read every row of the cluster (`mayPlan`); the first step half a minute later lets it continue. `undefined`: nothing to change.
 */
export function switchingOf(by: {
  readonly configured: ConfiguredModes;
  readonly stored: StoredModes;
  readonly mayPlan: boolean;
  readonly now: Instant;
}): Switching | undefined {
  const { stored } = by;
  const wanted = wantedModes(by.configured, stored);
  const [native, paced] = [stepOf('native', wanted, by), stepOf('paced', wanted, by)];
  const next = (source: Source) => (source === 'native' ? native : paced);
  const isMoved = (source: Source) =>
    next(source).mode !== stored.applied?.[source] || next(source).since !== stored.rising?.[source];
  if (!sources.some(isMoved)) return undefined;
  const rising = Object.fromEntries(
    sources.flatMap((source) => (next(source).since === undefined ? [] : [[source, next(source).since]])),
  );
  const { rising: _, ...rest } = stored;
  const applied: Modes = { native: native.mode, paced: paced.mode };
  // Before the first look, an older version may have listed pods of every source.
  const before = stored.applied ?? { native: 'own', paced: 'own' };
  return {
    modes: { ...rest, applied, ...(Object.keys(rising).length > 0 ? { rising } : {}) },
    changed: sources.filter((source) => applied[source] !== before[source]),
    raised: sources.filter((source) => isLower(before[source], applied[source])),
    begun: sources.filter((source) => next(source).since !== undefined && stored.rising?.[source] === undefined),
  };
}

function stepOf(
  source: Source,
  { [source]: wanted }: Modes,
  { stored, mayPlan, now }: Pick<Parameters<typeof switchingOf>[0], 'stored' | 'mayPlan' | 'now'>,
): Step {
  const applied = stored.applied?.[source] ?? wanted;
  const since = stored.rising?.[source];
  if (wanted !== 'own' || applied === 'own') return { mode: wanted };
  if (since === undefined) return mayPlan ? { mode: applied, since: now } : { mode: applied };
  return now - since >= planShownFor ? { mode: wanted } : { mode: applied, since };
}
