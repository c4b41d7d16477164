// The real steps, cut up at every call of the table and put together in random orders: no pod is ever missed.
import { describe, expect, it } from 'vitest';
import type { Change } from '../../lib/model/change.ts';
import { aClaim, aHeartbeat, aPod, aRule, upserted } from '../support/objects.ts';
import { createWorld, type World } from '../support/world.ts';

const start = 1_800_000_000_000;
const pods = ['a', 'b', 'c'];

/** A linear congruential generator: the same seed gives the same history. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Holds every call of the table back until the race lets one of them go on. */
function createGate() {
  const held: (() => void)[] = [];
  let racing = true;
  return {
    beforeCall: () => (racing ? new Promise<void>((resolve) => held.push(resolve)) : Promise.resolve()),
    /** Releases held calls one at a time, in random order, until all jobs are settled. */
    async race(jobs: readonly Promise<unknown>[], random: () => number) {
      let settled = false;
      const all = Promise.allSettled(jobs).finally(() => {
        settled = true;
      });
      for (let steps = 0; !settled && steps < 100_000; steps++) {
        await new Promise<void>((resolve) => setImmediate(resolve));
        held.splice(Math.floor(random() * held.length), 1)[0]?.();
      }
      racing = false;
      for (const release of held.splice(0)) release();
      return all;
    },
  };
}

/** Shuffled and cut into at most three messages' worth of changes, each handled by a function of its own. */
function batchesOf(changes: readonly Change[], random: () => number): readonly (readonly Change[])[] {
  const shuffled = changes.map((change) => ({ change, at: random() })).sort((a, b) => a.at - b.at);
  const cuts = [random(), random()].map((share) => Math.floor(share * changes.length)).sort((a, b) => a - b);
  const bounds = [0, ...cuts, changes.length];
  return bounds.slice(1).map((to, i) => shuffled.slice(bounds[i], to).map(({ change }) => change));
}

async function play(seed: number): Promise<World> {
  const random = randomFrom(seed);
  const gate = createGate();
  const world = createWorld({ start, beforeCall: gate.beforeCall });
  for (const name of pods)
    world.api.pods.set(`default/${name}`, { uid: `uid-${name}`, terminating: false, marked: false });
  const rule = aRule('bad', start);
  world.api.rules.set('bad', { rule, conditions: [] });
  const changes = [
    aHeartbeat(start),
    upserted(rule),
    ...pods.flatMap((name) => [upserted(aClaim(name, name)), upserted(aPod(name))]),
  ];
  const batches = batchesOf(changes, random);
  const deliver = (body: readonly Change[]) => world.deliver({ stage: 'ingest', at: start, body });
  const results = await gate.race(batches.map(deliver), random);
  for (const [i, result] of results.entries()) if (result.status === 'rejected') await deliver(batches[i] ?? []);
  await world.runUntil(start + 20_000);
  return world;
}

describe('claims, pods and a rule that arrive side by side', () => {
  it.each([1, 2, 3, 4])('every pod goes, and goes once, in 150 random interleavings (part %i)', async (part) => {
    for (let seed = part * 1000; seed < part * 1000 + 150; seed++) {
      const world = await play(seed);
      expect([seed, world.api.deletes.map((one) => one.pod.name).sort()]).toEqual([seed, pods]);
    }
  });
});
