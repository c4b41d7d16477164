// Finds a smaller history that still violates the same law.
import { type History, type Luck, noLuckNeeded } from './history.ts';
import type { Law } from './judge.ts';
import type { Outcome, Players } from './players.ts';

/** Random choices change with every omitted event, so a smaller history is tried with more than one seed. */
const seedsPerHistory = 3;

export function smaller(history: History): readonly History[] {
  const { events, luck } = history;
  const halves = [2, 4, 8].flatMap((parts) => {
    const size = Math.ceil(events.length / parts);
    if (size < 2) return [];
    return Array.from({ length: parts }, (_, i) => events.filter((_, at) => Math.floor(at / size) !== i));
  });
  const singles = events.map((_, i) => events.filter((_, at) => at !== i));
  const fewerEvents = [...halves, ...singles]
    .filter((some) => some.length < events.length)
    .map((some): History => ({ ...history, events: some }));
  const names = Object.keys(noLuckNeeded) as (keyof Luck)[];
  const better = names
    .filter((name) => name !== 'stallTime' && luck[name] !== 0)
    .map((name): History => ({ ...history, luck: { ...luck, [name]: 0 } }));
  const simpler: History[] = [
    ...(history.watchers === 2 ? [{ ...history, watchers: 1 as const }] : []),
    ...(history.comesBack ? [{ ...history, comesBack: false }] : []),
  ];
  return [...better, ...simpler, ...fewerEvents];
}

/** Plays at most `plays` histories. */
export async function shrink(
  failing: Outcome,
  { law, players, plays }: { readonly law: Law; readonly players: Players; readonly plays: number },
): Promise<Outcome> {
  let best = failing;
  let left = plays;
  for (let found = true; found && left > 0; ) {
    found = false;
    for (const candidate of smaller(best.history)) {
      if (left <= 0) break;
      const seeds = Array.from({ length: seedsPerHistory }, (_, i) => candidate.seed + i * 7919);
      left -= seeds.length;
      const outcomes = await Promise.all(seeds.map((seed) => players.play({ ...candidate, seed })));
      const still = outcomes.find(({ violations }) => violations.some((one) => one.law === law));
      if (!still) continue;
      best = still;
      found = true;
      break;
    }
  }
  return best;
}
