// Plays a path through all stages and records which calls each of them makes to the table and the queues.
import type { Stage } from '../../../lib/contract.ts';
import { tableFor } from '../../../lib/lambda/stageTable.ts';
import { createMemory } from '../../../lib/memory.ts';
import type { Change } from '../../../lib/model/change.ts';
import type { DeviceTaintRule } from '../../../lib/model/objects.ts';
import { allOwned, type ConfiguredModes } from '../../../lib/model/ownership.ts';
import type { Queues } from '../../../lib/ports.ts';
import { sweep } from '../../../lib/stages/sweep/index.ts';
import type { Table, Write } from '../../../lib/table.ts';
import { readClusterProgress } from '../../../lib/view/readModel.ts';
import { aroundCalls } from '../../support/around.ts';
import { createWorld, type Message, type World } from '../../support/world.ts';

type Actor = Stage | 'sweep' | 'widget';

export interface PlayedPath {
  readonly world: World;
  /** Actions by function, such as `PutItem`. */
  readonly actions: Readonly<Record<Actor, Set<string>>>;
  readonly sends: Readonly<Record<Actor, Set<string>>>;
  change(...changes: Change[]): Promise<void>;
  /** `dies`: the handler cannot hand on its fan-out. */
  addRule(rule: DeviceTaintRule, dies?: 'dies'): Promise<void>;
  /** The installation is configured again. */
  configure(modes: ConfiguredModes): void;
  /** Messages of a stage that are lost. */
  lose(stage: Message['stage']): void;
  /** Delivers the messages of a stage that are ready `late` milliseconds from now, at that time. */
  deliverLate(stage: Message['stage'], late: number): Promise<void>;
  /** Delivers all messages of the next seconds, side by side, and sweeps once. */
  run(seconds: number): Promise<void>;
}

const writeActions = { Put: 'PutItem', Update: 'UpdateItem', Delete: 'DeleteItem' } as const;

/** The queue that each call of the port sends to (lib/adapters/sqs). */
const queueOf: Readonly<Record<keyof Queues, string>> = {
  sendDue: 'ingest',
  sendResend: 'resend',
  sendEvaluate: 'evaluate',
  sendEvict: 'evict',
  sendReport: 'report',
  sendEvents: 'report',
};

export function playPath(start: number): PlayedPath {
  const sets = (): Record<Actor, Set<string>> => ({
    ingest: new Set(),
    evaluate: new Set(),
    evict: new Set(),
    report: new Set(),
    sweep: new Set(),
    widget: new Set(),
  });
  const actions = sets();
  const sends = sets();
  const tableOf = (actor: Actor, table: Table) =>
    tableFor(
      actor,
      recording(table, (action) => actions[actor].add(action)),
    );
  let modes: ConfiguredModes = allOwned;
  const world = createWorld({
    start,
    modes: () => modes,
    // Each is a process of its own.
    depsFor: (actor, deps) => ({
      ...deps,
      memory: createMemory(),
      table: tableOf(actor, deps.table),
      queues: aroundCalls(deps.queues, (name, call, [bodies]) => {
        for (const body of bodies as readonly { readonly stage?: string }[])
          sends[actor].add(name === 'sendDue' && body.stage ? body.stage : queueOf[name as keyof Queues]);
        return call();
      }),
    }),
  });
  const widget = tableOf('widget', world.table);
  const ingest = (changes: readonly Change[], as = world.depsOf('ingest')) =>
    world.deliver({ stage: 'ingest', at: world.now(), body: changes }, as);
  const take = (message: Message) => world.messages.splice(world.messages.indexOf(message), 1);
  return {
    world,
    actions,
    sends,
    async change(...changes) {
      await ingest(changes);
    },
    async addRule(rule, dies) {
      world.api.rules.set(rule.name, { rule, conditions: [] });
      const changes: readonly Change[] = [{ type: 'Upserted', object: rule }];
      if (!dies) return void (await ingest(changes));
      const deps = world.depsOf('ingest');
      const died = new Error('died');
      const queues = { ...deps.queues, sendEvaluate: () => Promise.reject(died) };
      const end = await ingest(changes, { ...deps, queues }).then(
        () => 'lives',
        (error: unknown) => error,
      );
      if (end !== died) throw new Error(`ingest was to die of its fan-out: ${String(end)}`);
    },
    configure(wanted) {
      modes = wanted;
    },
    lose(stage) {
      for (const message of world.messages.filter((one) => one.stage === stage)) take(message);
    },
    async deliverLate(stage, late) {
      world.setNow(world.now() + late);
      for (const message of world.messages.filter((one) => one.stage === stage && one.at <= world.now())) {
        take(message);
        await world.deliver(message);
      }
    },
    async run(seconds) {
      await world.runUntil(world.now() + seconds * 1000);
      await sweep(world.depsOf('sweep'), world.cluster);
      await readClusterProgress({ table: widget, cluster: world.cluster }, world.now());
    },
  };
}

/** The DynamoDB action that each call of the port is (lib/adapters/dynamodb). */
function recording(table: Table, note: (action: string) => void): Table {
  const noteWrite = (write: Write) => note(writeActions[write.kind]);
  return {
    get: (key) => {
      note('GetItem');
      return table.get(key);
    },
    getMany: (keys) => {
      if (keys.length > 0) note('BatchGetItem');
      return table.getMany(keys);
    },
    query: (range) => {
      note('Query');
      return table.query(range);
    },
    queryDue: (range) => {
      note('Query index/due');
      return table.queryDue(range);
    },
    queryHeads: (range) => {
      note('Query index/heads');
      return table.queryHeads(range);
    },
    write: (write) => {
      noteWrite(write);
      return table.write(write);
    },
    transact: (writes) => {
      writes.forEach(noteWrite);
      return table.transact(writes);
    },
  };
}
