// A Sluice installation in the simulated account: queues and functions of the template, with the functions' own handlers.
import { ChangeMessageVisibilityBatchCommand, SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { createSqsQueues } from '../../lib/adapters/sqs/queues.ts';
import { createReturnLater } from '../../lib/adapters/sqs/visibility.ts';
import { stageLimits, stages } from '../../lib/contract.ts';
import type { FunctionDependencies } from '../../lib/lambda/dependencies.ts';
import { createMetrics } from '../../lib/lambda/powertools.ts';
import { createMemory } from '../../lib/memory.ts';
import { allOwned } from '../../lib/model/ownership.ts';
import { upstreamSettings } from '../../lib/model/snapshot.ts';
import type { ClusterStepDependencies } from '../../lib/steps/step.ts';
import { dig, cluster as example, install, referred } from '../infra/support/installation.ts';
import { createFakeApiServer, type FakeApiServer } from '../support/fakes/apiServer.ts';
import { createInMemoryTable, type InMemoryTable } from '../support/fakes/table.ts';
import { type Account, type AccountFunction, type AccountQueue, createAccount } from './account.ts';
import { handlerOf } from './handlers.ts';

/** Stages, the sweep, the widget, and the executor of a cluster that functions cannot reach. */
export const actors = [...stages, 'sweep', 'widget', 'executor'] as const;
export type Actor = (typeof actors)[number];

/** Which calls of the table fail. */
export interface TableFaults {
  /** Functions whose role has no access to the table. */
  readonly denied: Set<Actor>;
  readonly throttled: { reads: boolean; writes: boolean };
}

export interface Installation {
  readonly account: Account;
  readonly template: ReturnType<typeof install>;
  readonly queues: readonly AccountQueue[];
  readonly functions: Readonly<Record<Actor, AccountFunction>>;
  readonly api: Readonly<Record<string, FakeApiServer>>;
  readonly table: InMemoryTable;
  readonly faults: TableFaults;
  queue(name: string): AccountQueue;
}

/** In `edge`, an executor inside the cluster evicts pods. */
export const clusters = ['prod', 'edge'] as const;
const calls = { get: 'reads', getMany: 'reads', query: 'reads', write: 'writes', transact: 'writes' } as const;

export function createInstallation(start: number): Installation {
  const template = install({ clusters: [example, { ...example, name: 'edge', auth: { kind: 'outbound' } }] });
  const account = createAccount(start);
  const faults: TableFaults = { denied: new Set(), throttled: { reads: false, writes: false } };
  const functions = Object.fromEntries(actors.map((actor) => [actor, functionOf(template, actor)])) as Record<
    Actor,
    AccountFunction
  >;
  const queues = queuesOf(template, functions);
  const queue = (name: string) => {
    const found = queues.find((one) => one.name === name);
    if (!found) throw new Error(`no queue ${name}`);
    return found;
  };
  const api = Object.fromEntries(clusters.map((name) => [name, createFakeApiServer(account.now)]));
  const table = createInMemoryTable();
  const installation = { account, template, queues, functions, api, table, faults, queue };
  for (const actor of actors) {
    const handler = handlerOf(actor, dependenciesOf(installation, actor));
    functions[actor].start = async () => handler;
  }
  return installation;
}

function functionOf(template: ReturnType<typeof install>, actor: Actor): AccountFunction {
  const start = () => Promise.reject(new Error('not installed'));
  const common = { start };
  if (actor === 'executor') return common;
  const description = `Sluice ${actor}`;
  const [found] = template.ofType('AWS::Lambda::Function').filter((one) => one.properties.Description === description);
  if (!found) throw new Error(`the template has no function "${description}"`);
  return { ...common, metricName: found.logicalId };
}

function queuesOf(
  template: ReturnType<typeof install>,
  functions: Readonly<Record<Actor, AccountFunction>>,
): readonly AccountQueue[] {
  const mappings = template.ofType('AWS::Lambda::EventSourceMapping');
  const live = template.ofType('AWS::SQS::Queue').filter((one) => one.properties.RedrivePolicy !== undefined);
  return live.map(({ logicalId, properties }) => {
    const mapping = mappings.find((one) => referred(one.properties.EventSourceArn) === logicalId);
    const target = mapping && referred(mapping.properties.FunctionName);
    return {
      name: String(properties.QueueName),
      metricNames: { queue: logicalId, dead: referred(dig(properties, 'RedrivePolicy', 'deadLetterTargetArn')) },
      visibilityTimeout: Number(properties.VisibilityTimeout) * 1000,
      maxReceiveCount: Number(dig(properties, 'RedrivePolicy', 'maxReceiveCount')),
      batchSize: Number(mapping?.properties.BatchSize ?? stageLimits.evict.batchSize),
      messages: [],
      dead: [],
      consumer: Object.values(functions).find((one) => one.metricName === target),
    };
  });
}

function dependenciesOf(of: Installation, actor: Actor): FunctionDependencies & ClusterStepDependencies {
  const { account } = of;
  const clock = { now: account.now, sleep: account.sleep };
  const client = sqsClientOf(of);
  const urls = { evaluate: 'Sluice-evaluate', evict: 'Sluice-evict', report: 'Sluice-report' };
  const endpoint = example.endpoint;
  return {
    clock,
    table: refusing(of, actor),
    queues: createSqsQueues(client, { ...urls, outbound: new Set(['edge']) }, clock),
    returnLater: createReturnLater(client),
    metrics: createMetrics((line) => account.metrics.putLine(line), account.now),
    log: { info: () => {}, warn: () => {}, error: () => {} },
    modesOf: () => allOwned,
    limitOf: () => undefined,
    settings: upstreamSettings,
    recordDays: 90,
    memory: createMemory(),
    accessTo: (name) => ((name === 'edge') === (actor === 'executor') ? of.api[name] : undefined),
    environment: {
      table: 'table',
      queueUrls: urls,
      ingestQueues: Object.fromEntries(clusters.map((name) => [`Sluice-ingest-${name}`, name])),
      clusters: {
        prod: { endpoint, auth: example.auth, native: 'own' },
        edge: { endpoint, auth: { kind: 'outbound' }, native: 'own' },
      },
      settings: upstreamSettings,
      recordDays: 90,
    },
  };
}

/** The table with the faults of one function; each throttled call is reported as a metric of DynamoDB. */
function refusing({ account, table, faults, template }: Installation, actor: Actor): InMemoryTable {
  const TableName = template.one('AWS::DynamoDB::GlobalTable', 'State').logicalId;
  return new Proxy(table, {
    get(target, name, receiver) {
      const call = Reflect.get(target, name, receiver);
      const kind = calls[name as keyof typeof calls];
      if (kind === undefined) return call;
      return async (...args: unknown[]) => {
        if (faults.denied.has(actor)) throw new Error('AccessDeniedException');
        if (!faults.throttled[kind]) return call(...args);
        const metric = kind === 'reads' ? 'ReadThrottleEvents' : 'WriteThrottleEvents';
        account.metrics.put({ namespace: 'AWS/DynamoDB', name: metric, dimensions: { TableName } }, 1, account.now());
        throw new Error('ThrottlingException');
      };
    },
  });
}

/** Handles the two commands that functions send to SQS. */
function sqsClientOf({ account, queue }: Pick<Installation, 'account' | 'queue'>): SQSClient {
  const send = async (command: unknown) => {
    if (command instanceof SendMessageBatchCommand) {
      const { QueueUrl = '', Entries = [] } = command.input;
      // No watcher receives resend requests.
      if (QueueUrl.startsWith('Sluice-resend-')) return {};
      for (const { MessageBody: body = '', DelaySeconds: delaySeconds = 0 } of Entries)
        account.send(queue(QueueUrl), { body, delaySeconds });
    } else if (command instanceof ChangeMessageVisibilityBatchCommand) {
      for (const { ReceiptHandle = '', VisibilityTimeout = 0 } of command.input.Entries ?? [])
        account.returnLater(ReceiptHandle, VisibilityTimeout);
    } else throw new Error('no function sends this');
    return {};
  };
  return { send } as unknown as SQSClient;
}
