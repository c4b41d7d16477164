// More limiters than evict invocations that may run at once.
import { describe, expect, it } from 'vitest';
import { aClaim, aPod, aRule, aSlice, driver, upserted } from '../../support/objects.ts';
import { type PacedWorld, pacedWorld, start } from '../../support/pacedWorld.ts';

/** Adds pods on a pool of their own, and a rule that evicts one of them per second. */
async function ruleOver(paced: PacedWorld, name: string, count: number): Promise<void> {
  const devices = Array.from({ length: count }, (_, i) => `${name}${i}`);
  const allocated = (device: string) => ({
    devices: [{ request: 'gpu', driver, pool: name, device, tolerations: [] }],
  });
  for (const pod of devices)
    paced.world.api.pods.set(`default/${pod}`, { uid: `uid-${pod}`, terminating: false, marked: false });
  const slice = aSlice(`slice-${name}`, {
    pool: { name, generation: 1 },
    devices: devices.map((device) => ({ name: device })),
  });
  const used = devices.flatMap((device) => [
    upserted(aClaim(device, device, { allocation: allocated(device) })),
    upserted(aPod(device)),
  ]);
  await paced.ingest(upserted(slice), ...used);
  const annotations = { 'sluice.dev/evictions-per-second': '1', 'sluice.dev/burst': '1' };
  const rule = aRule(name, start, { deviceSelector: { driver, pool: name }, annotations });
  paced.world.api.rules.set(name, { rule, conditions: [] });
  await paced.ingest(upserted(rule));
}

const goneOf = (paced: PacedWorld, name: string) => paced.gone().filter((pod) => pod.startsWith(name)).length;

describe('more limiters than invocations', () => {
  it('a limiter without an invocation gets one within a minute, and the other limiters keep most of their rate', async () => {
    const paced = await pacedWorld({});
    paced.world.evictors = 2;
    for (const name of ['a', 'b']) await ruleOver(paced, name, 200);
    await paced.run(5);
    const began = paced.world.now();
    await ruleOver(paced, 'c', 5);
    await paced.run(30);
    expect(goneOf(paced, 'c')).toBe(0);
    await paced.run(35);
    const first = Math.min(
      ...paced.world.api.deletes.filter(({ pod }) => pod.name.startsWith('c')).map(({ at }) => at),
    );
    expect(first - began).toBeLessThanOrEqual(61_000);
    await paced.run(55);
    expect(goneOf(paced, 'c')).toBe(5);
    for (const name of ['a', 'b']) expect(goneOf(paced, name)).toBeGreaterThanOrEqual(100);
  });
});
