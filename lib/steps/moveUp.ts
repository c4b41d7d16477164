// Where all pods have slots, those that others left are taken by pods of the same limiter that stand well behind.
import type { Reservation } from '../model/eviction.ts';
import { farFuture } from '../model/time.ts';
import { readReserved } from '../state/limiterRows.ts';
import { standingOf } from '../state/listingRows.ts';
import { type PodRow, readPods } from '../state/podRows.ts';
import type { State } from '../state/state.ts';
import type { Vacancy } from '../state/vacancyRows.ts';
import { mapParallel } from './mapParallel.ts';
import { leap, reserve } from './reserve.ts';

/** Of those that stand behind; the next round sees others. */
const looked = 200;

const parallelWrites = 8;

/** The slots that they leave are vacant in turn, so rounds of it move what was left to the end of the line. */
export async function moveUp(
  state: State,
  { vacant, offer }: { readonly vacant: readonly Vacancy[]; readonly offer: Omit<Reservation, 'slot'> },
): Promise<readonly PodRow[]> {
  const [first] = vacant;
  if (!first) return [];
  const { limiter, reservedAt: now } = offer;
  const behind = await readReserved(state, limiter, { after: first.slot + leap, upTo: farFuture, limit: looked });
  const pairs: { readonly pod: string; readonly vacancy: Vacancy }[] = [];
  let next = 0;
  for (const vacancy of vacant) {
    while (next < behind.length && slotOf(behind[next]?.sk) < vacancy.slot + leap) next++;
    const one = behind[next++];
    if (one) pairs.push({ pod: one.pod, vacancy });
  }
  const keys = pairs.map(({ pod }) => pod);
  const rows = new Map((await readPods(state, keys)).map((row) => [row.key, row]));
  const moved = await mapParallel(pairs, parallelWrites, async ({ pod, vacancy }) => {
    const row = rows.get(pod);
    return row && reserve(state, row, { reservation: { ...offer, slot: vacancy.slot }, now, vacancy });
  });
  return moved.flatMap((row) => row ?? []);
}

function slotOf(sk: string | undefined): number {
  const standing = sk === undefined ? undefined : standingOf(sk);
  return standing?.kind === 'Reserved' ? standing.slot : Number.POSITIVE_INFINITY;
}
