// Table units and messages of one change and one eviction, counted on the real steps.
import { joinTransactions } from '../../lib/adapters/dynamodb/joinedWrites.ts';
import type { Change } from '../../lib/model/change.ts';
import { aroundCalls } from '../support/around.ts';
import { aClaim, aHeartbeat, aPod, aRule, nextVersion, upserted } from '../support/objects.ts';
import { createWorld, type Message } from '../support/world.ts';
import { measureIdle } from './idle.ts';
import { meteredTable, type Units } from './meter.ts';

export interface Measured {
  readonly change: Units & Messages;
  readonly eviction: Units & Messages;
  readonly idle: Units;
}

interface Messages {
  /** Messages that a function sent. */
  messages: number;
}

const start = 1_800_000_000_000;
const pods = 200;

/** Measures a fleet of pods with a claim each that changes, is evicted by one rule, and is swept. */
export async function measure(): Promise<Measured> {
  const units: Units = { writes: 0, reads: 0 };
  let messages = 0;
  const world = createWorld({
    start,
    // As the function calls it: a row that is written alone is not charged as a transaction.
    depsFor: (worker, deps) => (worker === 'ingest' ? { ...deps, table: joinTransactions(deps.table) } : deps),
  });
  const queues = aroundCalls(world.deps.queues, (_, call, args) => {
    messages += (args[0] as readonly unknown[]).length;
    return call();
  });
  Object.assign(world.deps, { table: meteredTable(world.deps.table, units), queues });
  const names = Array.from({ length: pods }, (_, i) => `pod-${i}`);
  const ingest = async (...changes: Change[]) => {
    for (let i = 0; i < changes.length; i += 10) {
      const message: Message = { stage: 'ingest', at: world.now(), body: changes.slice(i, i + 10) };
      await world.deliver(message);
    }
  };
  const since = () => {
    const found = { ...units, messages };
    Object.assign(units, { writes: 0, reads: 0 });
    messages = 0;
    return found;
  };
  const drain = async (seconds: number) => {
    for (let passed = 0; passed < seconds; passed += 1) {
      await world.runUntil(world.now() + 1000);
      if (passed % 10 === 9) await ingest(aHeartbeat(world.now()));
    }
  };
  await ingest(aHeartbeat(start));
  for (const name of names)
    world.api.pods.set(`default/${name}`, { uid: `uid-${name}`, terminating: false, marked: false });
  since();
  await ingest(...names.flatMap((name) => [upserted(aClaim(name, name)), upserted(aPod(name))]));
  const added = since();
  await ingest(...names.map((name) => upserted({ ...aPod(name), resourceVersion: nextVersion() })));
  since();
  const rule = aRule('bad', start);
  world.api.rules.set('bad', { rule, conditions: [] });
  await ingest(upserted(rule));
  await drain(40);
  const evicted = since();
  const per = (found: Units & Messages, count: number) => ({
    writes: found.writes / count,
    reads: found.reads / count,
    messages: found.messages / count,
  });
  return {
    change: per(added, 2 * pods),
    eviction: per(evicted, pods),
    idle: await measureIdle({ pods: 100, rules: 10 }),
  };
}
