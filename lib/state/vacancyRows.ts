// Slots that were given and that their pods left for earlier ones of another taint: the bucket was charged, so they may be given again.
import type { LimiterId, Reservation } from '../model/eviction.ts';
import type { Instant } from '../model/time.ts';
import { compare, type Key, type Write } from '../table.ts';
import { vacancyKey, vacancyPartition } from './keys.ts';
import type { State } from './state.ts';

/** A slot that nobody has; the row is the right to it. */
export interface Vacancy {
  readonly limiter: LimiterId;
  readonly slot: Instant;
}

/** DynamoDB deletes rows that have expired within days, not at once. */
const sparedSeconds = 3600;

/** Belongs in the transaction that moves the pod away, so that the slot has one owner at any time: a pod, or this row. */
export function vacate(state: State, { limiter, slot, series }: Reservation): Write {
  const ttl = Math.ceil(slot / 1000) + sparedSeconds;
  return { kind: 'Put', row: { ...vacancyKey(state.cluster, limiter, slot), slot, series, ttl } };
}

/** Belongs in the transaction that gives the slot to another pod; lost where somebody else was quicker. */
export function occupy(state: State, { limiter, slot }: Vacancy): Write {
  const key: Key = vacancyKey(state.cluster, limiter, slot);
  return { kind: 'Delete', key, when: compare('slot', '=', slot) };
}

/**
 * Ascending; only what lies ahead and is of the schedule in force: a change of pace or an edit of the rule gives everything anew,
 * at instants that may be the same.
 */
export async function readVacancies(
  state: State,
  limiter: LimiterId,
  by: { readonly now: Instant; readonly series: number; readonly most: number },
): Promise<readonly Vacancy[]> {
  const { now, series, most } = by;
  const range = { pk: vacancyPartition(state.cluster, limiter), from: vacancyKey(state.cluster, limiter, now).sk };
  const { rows } = await state.table.query({ ...range, limit: most });
  const inForce = rows.filter((row) => row.series === series);
  return inForce.map(({ slot }) => ({ limiter, slot: slot as number }));
}
