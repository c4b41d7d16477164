// Switching a source off cancels and reports one page of rows at a time, however many there are.
import { expect, it } from 'vitest';
import type { ConfiguredModes } from '../../lib/model/ownership.ts';
import { sweep } from '../../lib/stages/sweep/index.ts';
import { aClaim, aHeartbeat, aPod, aRule, aTaintSlice, deleted, upserted } from '../support/objects.ts';
import { createWorld } from '../support/world.ts';

const start = 1_800_000_060_000;

it('ingest reads at most a page of pods, rules and slices of a source that is off, and sends all of them', async () => {
  const count = 250;
  let modes: ConfiguredModes = { native: 'own', paced: 'own' };
  let most = 0;
  const world = createWorld({
    start,
    modes: () => modes,
    around: async (name, call) => {
      const answer = await call();
      if (name === 'query') most = Math.max(most, (answer as { rows: readonly unknown[] }).rows.length);
      return answer;
    },
  });
  const names = Array.from({ length: count }, (_, i) => `p${i}`);
  const others = Array.from({ length: count }, (_, i) =>
    aRule(`rule-${i}`, start, { uid: `uid-rule-${i}`, deviceSelector: { pool: 'none' } }),
  );
  const gone = aRule('gone', start, { deviceSelector: { pool: 'none' } });
  const slices = names.map((name) => aTaintSlice(`slice-${name}`, { pool: `other-${name}`, taints: [] }));
  const objects = [
    ...names.map((name) => aClaim(name, name)),
    ...names.map((name) => aPod(name)),
    ...others,
    ...slices,
  ];
  await world.deliver({
    stage: 'ingest',
    at: start,
    body: [
      aHeartbeat(start),
      upserted(aRule('all', start)),
      upserted(aRule('every', start)),
      upserted(aRule('each', start)),
      upserted(gone),
    ],
  });
  await world.deliver({ stage: 'ingest', at: start, body: [deleted(gone)] });
  for (let i = 0; i < objects.length; i += 100)
    await world.deliver({ stage: 'ingest', at: start, body: objects.slice(i, i + 100).map((one) => upserted(one)) });
  await sweep(world.deps, world.cluster);
  modes = { native: 'off', paced: 'own' };
  world.messages.splice(0);
  most = 0;
  await sweep(world.deps, world.cluster);
  for (const request of world.messages.splice(0)) await world.deliver(request);
  const evaluated = world.messages.flatMap((one) => (one.stage === 'evaluate' ? one.body.pods : []));
  // Once, although three rules list each pod.
  expect(evaluated.toSorted()).toEqual(names.map((name) => `default/${name}`).toSorted());
  const reported = new Set(world.messages.flatMap((one) => (one.stage === 'report' ? [one.body.rule] : [])));
  expect(reported.size).toBe(2 * count + 3);
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThanOrEqual(100);
});

it('switching a source off sends no more pods in one invocation if more are listed, but all in the end', async () => {
  const sentWith = async (count: number) => {
    let modes: ConfiguredModes = { native: 'own', paced: 'own' };
    let isSlow = false;
    const world = createWorld({
      start,
      modes: () => modes,
      around: (name, call) => {
        if (isSlow && /^(get|query|write|transact)/.test(name)) world.setNow(world.now() + 500);
        return call();
      },
    });
    const names = Array.from({ length: count }, (_, i) => `p${i}`);
    await world.deliver({ stage: 'ingest', at: start, body: [aHeartbeat(start), upserted(aRule('all', start))] });
    const objects = [...names.map((name) => aClaim(name, name)), ...names.map((name) => aPod(name))];
    for (let i = 0; i < objects.length; i += 100)
      await world.deliver({ stage: 'ingest', at: start, body: objects.slice(i, i + 100).map((one) => upserted(one)) });
    await sweep(world.deps, world.cluster);
    modes = { native: 'off', paced: 'own' };
    world.messages.splice(0);
    isSlow = true;
    const sent: number[] = [];
    const run = async (step: Promise<unknown>) => {
      await step;
      sent.push(world.messages.flatMap((one) => (one.stage === 'evaluate' ? one.body.pods : [])).length);
      return world.messages
        .splice(0)
        .filter(({ stage, body }) => stage === 'ingest' && /#SURVEY/.test(JSON.stringify(body)));
    };
    let next = await run(sweep(world.deps, world.cluster));
    while (next[0]) next = [...next.slice(1), ...(await run(world.deliver(next[0])))];
    return { most: Math.max(...sent), all: sent.reduce((sum, one) => sum + one, 0) };
  };
  const [small, large] = [await sentWith(3000), await sentWith(6000)];
  expect(large.most).toBeLessThanOrEqual(small.most);
  expect([small.all, large.all]).toEqual([3000, 6000]);
});
