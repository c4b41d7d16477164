// Looks for the shortest history that still shows a difference, by playing all histories that are one step shorter at once.
import type { Outcome } from './batch.ts';
import type { Change, History, WorldSpec } from './history.ts';

/** Every history with one change, one object, one result, one reference or one toleration less. */
export function shorter(history: History): readonly History[] {
  const { world, changes } = history;
  const without = <T>(all: readonly T[], i: number) => [...all.slice(0, i), ...all.slice(i + 1)];
  const replaced = <T>(all: readonly T[], i: number, by: T) => [...all.slice(0, i), by, ...all.slice(i + 1)];
  const inWorld = (next: Partial<WorldSpec>): History => ({ changes, world: { ...world, ...next } });
  const fewerChanges = changes.map((_, i) => ({ world, changes: without(changes, i) }));
  const fewerSlices = world.slices.flatMap((slice, i) =>
    slice ? [inWorld({ slices: replaced(world.slices, i, undefined) })] : [],
  );
  const fewerRules = world.rules.flatMap((rule, i) =>
    rule ? [inWorld({ rules: replaced(world.rules, i, undefined) })] : [],
  );
  const fewerAllocations = world.claims.flatMap((claim, i) => {
    if (!claim.results) return [];
    const { results, ...rest } = claim;
    const fewer = results.length > 1 ? results.map((_, at) => ({ ...claim, results: without(results, at) })) : [];
    const stricter = results.flatMap((one, at) =>
      one.tolerations.map((_, k) => ({
        ...claim,
        results: replaced(results, at, { ...one, tolerations: without(one.tolerations, k) }),
      })),
    );
    const consumers = claim.reservedFor.map((_, at) => ({ ...claim, reservedFor: without(claim.reservedFor, at) }));
    return [{ ...rest, reservedFor: [] }, ...fewer, ...stricter, ...consumers].map((next) =>
      inWorld({ claims: replaced(world.claims, i, next) }),
    );
  });
  const fewerReferences = world.pods.flatMap((pod, i) => {
    const unbound = pod.bound ? [{ ...pod, bound: false }] : [];
    const fewer =
      pod.references.length > 1
        ? pod.references.map((_, at) => ({ ...pod, references: without(pod.references, at) }))
        : [];
    return [...unbound, ...fewer].map((next) => inWorld({ pods: replaced(world.pods, i, next) }));
  });
  return [...fewerChanges, ...fewerRules, ...fewerSlices, ...fewerAllocations, ...fewerReferences];
}

/** `rounds` bounds the time: each plays one batch. */
export async function shrink(
  failing: Outcome,
  play: (histories: readonly History[]) => Promise<readonly Outcome[]>,
  rounds: number,
): Promise<Outcome> {
  let best = failing;
  for (let round = 0; round < rounds; round++) {
    const outcomes = await play(shorter(best.history));
    const found = outcomes.find((one) => one.undeclared.length > 0);
    if (!found) return best;
    best = found;
  }
  return best;
}

/** Objects and changes of a history in one line each, absent ones left out. */
export function describeHistory({ world, changes }: History): string {
  const lines = (name: string, all: readonly unknown[]) =>
    all.flatMap((one, i) => (one === undefined ? [] : [`  ${name} ${i} ${JSON.stringify(one)}`]));
  return [
    ...lines('slice', world.slices),
    ...lines('rule', world.rules),
    ...lines(
      'claim',
      world.claims.map((claim) => (claim.results ? claim : undefined)),
    ),
    ...lines('pod', world.pods),
    ...lines('change', changes satisfies readonly Change[]),
  ].join('\n');
}
