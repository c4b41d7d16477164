// Simulates one eviction in which every call takes the same time, and counts the sequential calls up to the DELETE.
import type { Context, SQSEvent } from 'aws-lambda';
import { maxReceiveCount } from '../../lib/contract.ts';
import { tableFor } from '../../lib/lambda/stageTable.ts';
import type { Instant, Milliseconds } from '../../lib/model/time.ts';
import { createApiServer } from '../faults/apiServer.ts';
import { createClusterModel, smallest } from '../faults/cluster.ts';
import type { Link } from '../faults/links.ts';
import * as program from '../faults/program.ts';
import { createQueues, type QueuedMessage } from '../faults/queues.ts';
import { createRandom } from '../faults/random.ts';
import { installVirtualTime } from '../faults/virtualTime.ts';
import { aroundCalls } from '../support/around.ts';
import { createInMemoryTable } from '../support/fakes/table.ts';

/** The duration of every call. */
const roundTrip: Milliseconds = 10;
const second = 1000;
const start = Date.UTC(2027, 0, 15, 12);
const cluster = 'prod';
const log = { info: () => {}, warn: () => {}, error: (text: string, of?: object) => console.error(text, of) };

const time = installVirtualTime(start, createRandom(1).fork('process').next);
const calls: { readonly at: Instant; readonly who: string; readonly what: string }[] = [];

/** A call takes effect after half of its duration. */
async function called<T>(who: string, what: string, call: () => Promise<T>): Promise<T> {
  calls.push({ at: time.now(), who, what });
  await time.sleep(roundTrip / 2);
  const result = await call();
  await time.sleep(roundTrip / 2);
  return result;
}

const api = createApiServer(time.now, () => () => []);
const model = createClusterModel({
  api,
  shape: smallest,
  now: time.now,
  at: time.at,
  soon: () => 2 * second,
  comesBack: () => undefined,
});
model.begin();

const linkOf = (who: string): Link => ({
  fate({ method, path }) {
    calls.push({ at: time.now(), who, what: `${method} ${path}` });
    return { before: roundTrip / 2, after: roundTrip / 2 };
  },
  lineDelay: () => 0,
  isCut: () => false,
  sleep: time.sleep,
});

const clock = { now: time.now, sleep: time.sleep };
const table = createInMemoryTable();
const queues = createQueues({
  now: time.now,
  draw: () => [0],
  maxReceives: maxReceiveCount,
  onReady: (queue, at) => {
    const stage = program.queueStages.find((one) => program.queueOf(one, cluster) === queue);
    if (stage !== undefined) time.at(at, () => receive(stage));
  },
  sleep: time.sleep,
});
const sqsOf = (who: string) => ({
  send: ((command: {
    readonly constructor: { readonly name: string };
    readonly input: { readonly QueueUrl?: string };
  }) => {
    const { name } = command.constructor;
    if (name.startsWith('Receive')) return queues.client.send(command as never);
    const queue = command.input.QueueUrl?.split('/').at(-1);
    return called(who, `${name.replace(/Command$/, '')} ${queue}`, () => queues.client.send(command as never));
  }) as typeof queues.client.send,
});

function describe(args: readonly unknown[]): string {
  const names = JSON.stringify(args).matchAll(/"(?:pk|sk)":"([^"]*)"/g);
  return [...names].map(([, name]) => name).join(' ');
}

const functions = new Map(
  [...program.queueStages, 'sweep'].map((stage) => {
    const slow = aroundCalls(table, (name, call, args) => called(stage, `${name} ${describe(args)}`, call));
    const outside = { cluster, sqs: sqsOf(stage), api: api.connect(linkOf(stage)), clock, log };
    const settings = { workloadClaims: false, projectRules: false };
    return [stage, program.createFunctions({ ...outside, table: tableFor(stage, slow), settings })] as const;
  }),
);

function receive(stage: string): void {
  const queue = program.queueOf(stage, cluster);
  const limits = program.limitsOf[stage];
  const batch = queues.receive(queue, limits?.batchSize ?? 1, 60 * second);
  const handler = functions.get(stage)?.handlers[stage];
  if (batch.length === 0 || !handler) return;
  void handler(eventOf(queue, batch), {} as Context).then(({ batchItemFailures }) => {
    const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
    for (const message of batch) if (!failed.has(message.id)) queues.remove(message);
  });
}

function eventOf(queue: string, batch: readonly QueuedMessage[]): SQSEvent {
  const Records = batch.map(({ id, body, receives }) => ({
    messageId: id,
    receiptHandle: id,
    body,
    attributes: { ApproximateReceiveCount: String(receives) },
    eventSourceARN: `arn:aws:sqs:eu-central-1:1:${queue}`,
  }));
  return { Records } as unknown as SQSEvent;
}

const abort = new AbortController();
program.watchCluster({ cluster, sqs: sqsOf('watcher'), api: api.connect(linkOf('watcher')), clock, log }, abort.signal);
const sweeping = setInterval(() => void functions.get('sweep')?.sweep(), 60 * second);

/** Round trips from the rule to the arrival of its DELETE, and each call with the time at which it began, in round trips. */
async function evict(
  rule: number,
  device: number,
): Promise<{ readonly roundTrips: number; readonly calls: readonly string[] }> {
  calls.length = 0;
  const deleted = api.deletes.length;
  const acceptedAt = time.now();
  model.act({ do: 'Rule', rule, selector: { device }, effect: 'NoExecute' });
  while (api.deletes.length === deleted && time.now() < acceptedAt + 10 * second) await time.runUntil(time.now() + 1);
  const roundTrips = (time.now() - acceptedAt) / roundTrip;
  return { roundTrips, calls: calls.map(({ at, who, what }) => `${(at - acceptedAt) / roundTrip} ${who} ${what}`) };
}

for (const pod of [0, 1]) model.act({ do: 'Pod', pod, device: pod });
await time.runUntil(start + 90 * second);
// The first eviction fills the caches of rules and credentials; the second one is measured.
await evict(0, 0);
await time.runUntil(start + 110 * second);
const warm = await evict(1, 1);
clearInterval(sweeping);
abort.abort();
time.uninstall();
process.stdout.write(`${JSON.stringify(warm)}\n`, () => process.exit(0));
