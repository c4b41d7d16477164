// The steps that take a cluster from its applied modes to the configured ones.
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

/** How long a source's plan can be read before a switch to `own` takes effect. */
export const planShownFor: Milliseconds = 30_000;

export interface Switching {
  /** What to store. */
  readonly modes: StoredModes;
  /** Sources whose applied mode changes: their pods must be evaluated again. */
  readonly changed: readonly Source[];
  /** Of those, sources with a higher mode than before: pods without a listing are affected too. */
  readonly raised: readonly Source[];
  /** Sources whose plan must exist before `modes` is stored. */
  readonly begun: readonly Source[];
}

interface Step {
  readonly mode: Mode;
  /** While it waits for the switch to `own`: since when its plan can be read. */
  readonly since?: Instant;
}

/**
 * `off` and `shadow` take effect at once; neither deletes a pod. A switch to `own` first shows the plan, which needs the right to read
 * every row of the cluster (`mayPlan`), and takes effect at the first step `planShownFor` later. `undefined`: no change.
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
  // Before the first run, an older version may have listed pods of every source.
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
