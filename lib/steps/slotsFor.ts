// The slots that a pacer gives in one round: those that others left, then those of the bucket.
import type { Rate, Reservation } from '../model/eviction.ts';
import { reserveSlots } from '../state/bucketRows.ts';
import type { PodRow } from '../state/podRows.ts';
import type { State } from '../state/state.ts';
import type { Vacancy } from '../state/vacancyRows.ts';
import type { Unit } from './candidates.ts';
import type { StepDependencies } from './step.ts';

/** Longer than the sweep's period plus its lateness, so that a limiter with a backlog never runs dry between sweeps. */
const horizon = 90_000;

interface Given {
  readonly row: PodRow;
  readonly reservation: Reservation;
  readonly vacancy?: Vacancy;
}

/** What others left is given first; the bucket was charged for it already. `isAll`: nobody who asks goes without. */
export async function slotsFor(
  deps: StepDependencies,
  state: State,
  by: {
    readonly units: readonly Unit[];
    readonly vacant: readonly Vacancy[];
    readonly rate: Rate;
    readonly offer: Omit<Reservation, 'slot'>;
  },
): Promise<{ readonly given: readonly Given[]; readonly isAll: boolean }> {
  const { units, vacant, rate, offer } = by;
  const asking = units.filter(({ shared }) => !shared);
  const wanted = Math.max(0, asking.length - vacant.length);
  const { limiter, reservedAt: now } = offer;
  const request = { rate, now, wanted, horizon, limit: deps.limitOf(state.cluster) };
  const slots = wanted === 0 ? [] : await reserveSlots(state, limiter, request);
  const offered = [...vacant.map((vacancy) => ({ slot: vacancy.slot, vacancy })), ...slots.map((slot) => ({ slot }))];
  const sharing = units.flatMap(({ pods, shared }) =>
    shared ? pods.map((row) => ({ row, reservation: shared })) : [],
  );
  const given = asking.flatMap(({ pods }, i) => {
    const one = offered[i];
    if (!one) return [];
    const { slot, ...rest } = one;
    return pods.map((row) => ({ row, reservation: { ...offer, slot }, ...rest }));
  });
  return { given: [...sharing, ...given], isAll: slots.length === wanted };
}
