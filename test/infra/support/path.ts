// Plays a path through all stages and writes down what each of them asks of the table and of the queues.
import type { Stage } from '../../../lib/contract.ts';
import { tableFor } from '../../../lib/lambda/stageTable.ts';
import type { Change } from '../../../lib/model/change.ts';
import type { DeviceTaintRule } from '../../../lib/model/objects.ts';
import type { Queues } from '../../../lib/ports.ts';
import { evict, settle } from '../../../lib/stages/evict/index.ts';
import { ingest } from '../../../lib/steps/ingest.ts';
import { reconcile } from '../../../lib/steps/reconcile.ts';
import { reportOrRecord } from '../../../lib/steps/report.ts';
import { sweep } from '../../../lib/steps/sweep.ts';
import type { Table, Write } from '../../../lib/table.ts';
import { readClusterProgress } from '../../../lib/view/readModel.ts';
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
  /** Messages of a stage that are lost. */
  lose(stage: Message['stage']): void;
  /** Delivers the messages of a stage that are ready `late` milliseconds from now, at that time. */
  deliverLate(stage: Message['stage'], late: number): Promise<void>;
  /** Delivers all messages of the next seconds and sweeps once. */
  run(seconds: number): Promise<void>;
}

const writeActions = { Put: 'PutItem', Update: 'UpdateItem', Delete: 'DeleteItem' } as const;

export function playPath(start: number): PlayedPath {
  const world = createWorld({ start });
  const sets = (): Record<Actor, Set<string>> => ({
    ingest: new Set(),
    reconcile: new Set(),
    evict: new Set(),
    report: new Set(),
    sweep: new Set(),
    widget: new Set(),
  });
  const actions = sets();
  const sends = sets();

  /** Runs one function and notes which queues have more messages afterwards. */
  async function act(actor: Actor, step: (table: Table) => Promise<unknown>): Promise<void> {
    const before = new Set(world.messages);
    await step(
      tableFor(
        actor,
        recording(world.table, (action) => actions[actor].add(action)),
      ),
    );
    for (const message of world.messages) if (!before.has(message)) sends[actor].add(stageOf(message));
  }
  const ingestAs = (queues: Queues, changes: readonly Change[]) => {
    world.api.live.observe(changes);
    return act('ingest', (table) => ingest({ ...world.deps, table, queues }, world.cluster, changes));
  };
  const take = (message: Message) => world.messages.splice(world.messages.indexOf(message), 1);
  const handle = (message: Message) => {
    take(message);
    return act(stageOf(message), (table) => deliver(world, table, message));
  };
  return {
    world,
    actions,
    sends,
    change: (...changes) => ingestAs(world.deps.queues, changes),
    async addRule(rule, dies) {
      world.api.rules.set(rule.name, { rule, conditions: [] });
      const sendReconcile = dies ? () => Promise.reject(new Error('died')) : world.deps.queues.sendReconcile;
      await ingestAs({ ...world.deps.queues, sendReconcile }, [{ type: 'Upserted', object: rule }]);
    },
    lose(stage) {
      for (const message of world.messages.filter((one) => one.stage === stage)) take(message);
    },
    async deliverLate(stage, late) {
      world.setNow(world.now() + late);
      for (const message of world.messages.filter((one) => one.stage === stage && one.at <= world.now()))
        await handle(message);
    },
    async run(seconds) {
      const until = world.now() + seconds * 1000;
      for (;;) {
        const [next] = world.messages.filter((one) => one.at <= until).sort((a, b) => a.at - b.at);
        if (!next) break;
        world.setNow(Math.max(world.now(), next.at));
        await handle(next);
      }
      world.setNow(until);
      await act('sweep', (table) => sweep({ ...world.deps, table }, world.cluster));
      await act('widget', (table) => readClusterProgress({ table, cluster: world.cluster }, world.now()));
    },
  };
}

/** The queue that a message travels on. */
function stageOf({ stage }: Message): Exclude<Message['stage'], 'event' | 'release' | 'settle'> {
  if (stage === 'settle') return 'evict';
  return stage === 'event' || stage === 'release' ? 'report' : stage;
}

async function deliver(world: World, table: Table, message: Message): Promise<unknown> {
  const deps = { ...world.deps, table };
  switch (message.stage) {
    case 'ingest':
      return ingest(deps, world.cluster, message.body);
    case 'reconcile':
      return reconcile(deps, message.body);
    case 'evict':
      return evict(deps, message.body);
    case 'settle':
      return settle(deps, message.body);
    case 'report':
    case 'event':
    case 'release':
      return reportOrRecord(deps, message.body);
    default:
      return message satisfies never;
  }
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
