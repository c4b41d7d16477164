// What an idle cluster costs in table units per minute: heartbeats, sweeps and counts, by the real steps.
import type { Change } from '../../lib/model/change.ts';
import { aClaim, aHeartbeat, aPod, aRule, upserted } from '../support/objects.ts';
import { createWorld } from '../support/world.ts';
import { meteredTable, type Units } from './meter.ts';

const start = 1_800_000_000_000;
const heartbeatEvery = 20_000;
const minutes = 20;

/** Pods with a claim each, and rules that match none of them. */
export async function measureIdle({ pods, rules }: { readonly pods: number; readonly rules: number }): Promise<Units> {
  const world = createWorld({ start });
  const units: Units = { writes: 0, reads: 0 };
  Object.assign(world.deps, { table: meteredTable(world.deps.table, units) });
  const ingest = (...changes: Change[]) => world.deliver({ stage: 'ingest', at: world.now(), body: changes });
  const live = async (count: number) => {
    for (let passed = 0; passed < count * 60_000; passed += heartbeatEvery) {
      await world.runUntil(world.now() + heartbeatEvery);
      await ingest(aHeartbeat(world.now()));
    }
  };
  await ingest(aHeartbeat(start));
  for (let i = 0; i < pods; i++) await ingest(upserted(aClaim(`pod-${i}`, `pod-${i}`)), upserted(aPod(`pod-${i}`)));
  for (let i = 0; i < rules; i++) {
    const rule = aRule(`rule-${i}`, start, { deviceSelector: { driver: 'none.example.com' } });
    world.api.rules.set(rule.name, { rule, conditions: [] });
    await ingest(upserted(rule));
  }
  await live(minutes);
  Object.assign(units, { writes: 0, reads: 0 });
  await live(minutes);
  return { writes: units.writes / minutes, reads: units.reads / minutes };
}
