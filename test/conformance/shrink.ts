// Makes a world that differs smaller: every variant with one thing less is played, and the search goes on from the smallest that still differs.
import { type Difference, playBatch } from './batch.ts';
import type { Pair } from './pair.ts';
import type { World } from './world.ts';

const rounds = 5;

export async function shrink(pair: Pair, difference: Difference): Promise<Difference> {
  let smallest = difference;
  for (let round = 0; round < rounds; round++) {
    const { differences } = await playBatch(pair, variantsOf(smallest.world));
    const next = differences.toSorted((a, b) => sizeOf(a.world) - sizeOf(b.world))[0];
    if (!next) return smallest;
    smallest = next;
  }
  return smallest;
}

export function sizeOf(world: World): number {
  return JSON.stringify(world).length;
}

/** Each has one thing less; numbers that then lead nowhere make a step that both API servers refuse. */
export function variantsOf(world: World): readonly World[] {
  const halves =
    world.history.length > 2
      ? [{ ...world, history: world.history.slice(0, Math.ceil(world.history.length / 2)) }]
      : [];
  return [
    ...halves,
    ...world.history.map((_, i) => ({ ...world, history: world.history.toSpliced(i, 1) })),
    ...world.rules.map((_, i) => ({ ...world, rules: world.rules.toSpliced(i, 1) })),
    ...(world.pods.length > 1 ? [{ ...world, pods: world.pods.slice(0, -1) }] : []),
    ...world.devices.flatMap((device, i) =>
      device.taints.length > 0 ? [{ ...world, devices: world.devices.with(i, { ...device, taints: [] }) }] : [],
    ),
    ...world.claims.flatMap((claim, i) => {
      const variants = [];
      if (claim.allocated) variants.push({ ...claim, allocated: false });
      if (claim.stale) variants.push({ ...claim, stale: false });
      if (claim.results.length > 1) variants.push({ ...claim, results: claim.results.slice(0, 1) });
      if (claim.results.some(({ tolerations }) => tolerations.length > 0))
        variants.push({ ...claim, results: claim.results.map((result) => ({ ...result, tolerations: [] })) });
      return variants.map((variant) => ({ ...world, claims: world.claims.with(i, variant) }));
    }),
  ];
}
