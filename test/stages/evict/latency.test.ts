// The number of sequential calls from the message of a rule to its first DELETE.
import { expect, it } from 'vitest';
import { aRule, upserted } from '../../support/objects.ts';
import { pacedWorld, start } from '../../support/pacedWorld.ts';

/** The port with calls that take a millisecond each. */
function slow<T extends object>(port: T, sleep: (duration: number) => Promise<void>): T {
  return new Proxy(port, {
    get(target, name) {
      const call = Reflect.get(target, name);
      if (typeof call !== 'function') return call;
      return async (...args: unknown[]) => {
        await sleep(1);
        return call.apply(target, args);
      };
    },
  });
}

it('the first DELETE of a rule waits for at most 15 sequential calls of table and API server', async () => {
  const paced = await pacedWorld({ p: {} });
  await paced.run(20);
  const { world } = paced;
  const { sleep } = world.deps.clock;
  const { api } = world;
  const access = { ...api, live: slow(api.live, sleep), evictor: slow(api.evictor, sleep) };
  for (const worker of ['ingest', 'evict'] as const) {
    const deps = world.depsOf(worker);
    Object.assign(deps, { table: slow(deps.table, sleep), accessTo: () => access });
  }
  const from = world.now();
  const rule = aRule('r', start);
  api.rules.set('r', { rule, conditions: [] });
  api.live.observe([upserted(rule)]);
  world.messages.push({ stage: 'ingest', at: from, body: [upserted(rule)] });
  await world.runUntil(from + 500);
  const [first] = api.deletes;
  expect((first?.at ?? Number.POSITIVE_INFINITY) - from).toBeLessThanOrEqual(15);
});
