// Plays many worlds at once, in step on both sides, and says which of them ended differently.
import { setTimeout as sleep } from 'node:timers/promises';
import { compareOutcomes, type Outcome, type PodOutcome, readOutcome } from './outcome.ts';
import type { Pair, Side } from './pair.ts';
import { createPlayer, type Player } from './play.ts';
import type { World } from './world.ts';

export interface Difference {
  readonly world: World;
  readonly lines: readonly string[];
}

export interface BatchResult {
  readonly cases: number;
  readonly steps: number;
  /** Pods that the in-tree controller evicted. */
  readonly evicted: number;
  readonly differences: readonly Difference[];
}

/** Longer than the tolerations that come due, so that they come due within the step that began them. */
const stepTime = 5200;

/** Conditions are throttled to one in 10 s on both sides. */
const quietTime = 11_500;
const longestRest = 60_000;

/** A step of a single small world is dealt with far sooner. */
const calmTime = 3000;

let played = 0;

export interface BatchOptions {
  /** What Sluice is shown instead: a planted difference, by which a test sees that one is found. */
  readonly plant?: (world: World) => World;
}

export async function playBatch(
  pair: Pair,
  worlds: readonly World[],
  { plant = (world) => world }: BatchOptions = {},
): Promise<BatchResult> {
  const places = worlds.map(() => ({ name: `case-${++played}` }));
  const on = (side: Side, shown: readonly World[]) =>
    shown.map((world, i) => createPlayer(side.client, places[i] ?? { name: 'none' }, world));
  const [inTree, sluice] = [on(pair.inTree, worlds), on(pair.sluice, worlds.map(plant))];
  const both = [...inTree, ...sluice];
  await inStep(pair, () => all(both, (player) => player.setUp()));
  await inStep(pair, () => all(both, (player) => player.begin()));
  const steps = Math.max(0, ...worlds.map(({ history }) => history.length));
  for (let number = 0; number < steps; number++) await inStep(pair, () => all(both, (player) => player.step(number)));
  const [expected, actual] = await atRest(pair, places);
  const differences = worlds.flatMap((world, i) => {
    const lines = [...refusals(inTree[i], sluice[i]), ...compareOutcomes(expected[i] ?? nothing, actual[i] ?? nothing)];
    return lines.length > 0 ? [{ world, lines }] : [];
  });
  await all(both, (player) => player.cleanUp());
  const isEvicted = ({ disruption }: PodOutcome) => disruption.startsWith('True DeletionByDeviceTaintManager');
  const evicted = expected.flatMap(({ pods }) => Object.values(pods).filter(isEvicted)).length;
  return { cases: worlds.length, steps: worlds.flatMap(({ history }) => history).length, evicted, differences };
}

/** For a world whose rules reach every device: markers would be evicted, and counted, by them as well. */
export function playAlone(pair: Pair, world: World): Promise<BatchResult> {
  const calm = (side: Side): Side => ({ ...side, settled: () => sleep(calmTime) });
  return playBatch({ ...pair, inTree: calm(pair.inTree), sluice: calm(pair.sluice) }, [world]);
}

const nothing: Outcome = { pods: {}, rules: {} };

async function inStep(pair: Pair, act: () => Promise<void>): Promise<void> {
  const from = performance.now();
  await act();
  await sleep(Math.max(0, stepTime - (performance.now() - from)));
  await Promise.all([pair.inTree.settled(), pair.sluice.settled()]);
}

/** Ten at once: an API server has flow control, and worlds do not depend on each other. */
async function all(players: readonly Player[], act: (player: Player) => Promise<void>): Promise<void> {
  const waiting = [...players];
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await act(next);
  };
  await Promise.all(Array.from({ length: 10 }, work));
}

/** Outcomes that have not changed for as long as a condition may be held back. */
async function atRest(pair: Pair, places: readonly { readonly name: string }[]) {
  const read = async () =>
    Promise.all(
      [pair.inTree, pair.sluice].map((side) => Promise.all(places.map((place) => readOutcome(side.client, place)))),
    );
  const from = performance.now();
  let outcomes = await read();
  let since = performance.now();
  while (performance.now() - since < quietTime && performance.now() - from < longestRest) {
    await sleep(500);
    const next = await read();
    if (JSON.stringify(next) !== JSON.stringify(outcomes)) since = performance.now();
    outcomes = next;
  }
  return [outcomes[0] ?? [], outcomes[1] ?? []] as const;
}

/** The two API servers are alike, so a step that one takes and the other refuses is a difference, too. */
function refusals(a: Player | undefined, b: Player | undefined): readonly string[] {
  const [first, second] = [a?.answers.join(' ') ?? '', b?.answers.join(' ') ?? ''];
  return first === second ? [] : [`the API servers answered differently: in-tree ${first}, Sluice ${second}`];
}
