// The installation's functions: execution environments that take batches from the queues, one at a time, and the schedule.
import type { Context, SQSEvent } from 'aws-lambda';
import type { ApiClient } from '../../lib/adapters/kubernetes/apiClient.ts';
import { maxReceiveCount } from '../../lib/contract.ts';
import type { Milliseconds } from '../../lib/model/time.ts';
import type { Log } from '../../lib/ports.ts';
import type { SpreadSetting } from '../../lib/state/spreadList.ts';
import { aroundCalls } from '../support/around.ts';
import type { InMemoryTable } from '../support/fakes/table.ts';
import type { ApiServer } from './apiServer.ts';
import type { Program } from './bundle.ts';
import type { Luck } from './history.ts';
import { createProcess, type Process } from './processes.ts';
import type { Functions } from './program.ts';
import { createQueues, type QueuedMessage, type Queues } from './queues.ts';
import type { Random } from './random.ts';
import type { VirtualTime } from './virtualTime.ts';

/** Called for every table call: with the function, the method and its arguments. */
export type OnCall = (stage: string, call: string, args: readonly unknown[]) => void;

export interface InstallationOptions {
  readonly time: VirtualTime;
  readonly random: Random;
  readonly luck: () => Luck;
  readonly cluster: string;
  readonly table: InMemoryTable;
  readonly api: ApiServer;
  /** The same program several times, each with its own module state. */
  readonly programs: readonly Program[];
  readonly log: Log;
  readonly isApiCut: () => boolean;
  readonly onCall?: OnCall;
  readonly spread?: SpreadSetting;
}

export interface Installation {
  readonly queues: Queues;
  /** Ends every execution environment, as a deployment does, but without waiting for invocations. */
  restart(): void;
  /** Stops the schedule; no new invocation begins. */
  stop(): void;
}

interface Environment {
  readonly process: Process;
  readonly functions: Functions;
}

/** A higher concurrency finds no more faults, and costs time. */
const concurrency = 4;
const everyMinute: Milliseconds = 60_000;

/** The delays of a message and of its second delivery; none if it is lost. */
function drawOf({ random, luck }: InstallationOptions): readonly Milliseconds[] {
  const { lost, twice, delay } = luck();
  if (random.chance(lost)) return [];
  const first = random.int(Math.max(1, Math.min(delay, 2000))) + (random.chance(0.1) ? random.int(delay + 1) : 0);
  return random.chance(twice) ? [first, first + random.int(random.chance(0.5) ? 5000 : 400_000)] : [first];
}

export function startInstallation(options: InstallationOptions): Installation {
  const { time, random, luck, programs } = options;
  const [program] = programs;
  if (!program) throw new Error('no program');
  const idle = new Map<string, Environment[]>();
  const running = new Map<string, number>();
  const polls = new Set<string>();
  const processes = new Set<Process>();
  let stopped = false;
  const begin = (stage: string): Environment => {
    const skew = Math.round((2 * random.next() - 1) * luck().skew);
    const process = createProcess({ ...options, skew, random: random.fork(`process ${random.next()}`) });
    processes.add(process);
    const functions = random.pick(programs).createFunctions({
      cluster: options.cluster,
      table: process.table(counted(options.table, stage, options.onCall)),
      sqs: process.sqs(queues.client),
      api: options.api.connect(process.link) satisfies ApiClient,
      clock: process.clock,
      log: options.log,
      settings: { workloadClaims: false, projectRules: false },
      ...(options.spread ? { spread: options.spread } : {}),
    });
    return { process, functions };
  };
  /** `done` is called once, however the invocation ends. */
  const invoke = (stage: string, timeout: Milliseconds, work: (functions: Functions) => Promise<void>) => {
    const environment = idle.get(stage)?.pop() ?? begin(stage);
    const { process } = environment;
    running.set(stage, (running.get(stage) ?? 0) + 1);
    let isOver = false;
    const over = () => {
      if (isOver) return;
      isOver = true;
      running.set(stage, (running.get(stage) ?? 1) - 1);
      if (!process.isEnded) idle.set(stage, [...(idle.get(stage) ?? []), environment]);
      poll(stage, time.now());
    };
    process.risk(over);
    time.at(time.now() + timeout, () => {
      if (isOver) return;
      options.log.error('the function timed out', { stage });
      process.end();
    });
    work(environment.functions)
      .catch((error: unknown) => options.log.error('the function failed', { stage, why: String(error) }))
      .then(over);
  };
  const poll = (stage: string, at: number) => {
    const id = `${stage}@${at}`;
    if (stopped || polls.has(id)) return;
    polls.add(id);
    time.at(at + random.int(30), () => {
      polls.delete(id);
      takeBatch(stage);
    });
  };
  const takeBatch = (stage: string) => {
    const limits = program.limitsOf[stage];
    if (stopped || !limits || (running.get(stage) ?? 0) >= Math.min(concurrency, limits.maxConcurrency)) return;
    const queue = program.queueOf(stage, options.cluster);
    const size = 1 + random.int(limits.batchSize);
    const batch = queues.receive(queue, size, 6 * limits.timeout * 1000);
    if (batch.length === 0) return;
    poll(stage, time.now());
    invoke(stage, limits.timeout * 1000, async ({ handlers }) => {
      const answer = await handlers[stage]?.(eventOf(queue, batch), {} as Context);
      const failed = new Set(answer?.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
      for (const message of batch) if (!failed.has(message.id)) queues.remove(message);
    });
  };
  const queues = createQueues({
    now: time.now,
    draw: () => drawOf(options),
    maxReceives: maxReceiveCount,
    onReady: (queue, at) => {
      const stage = program.queueStages.find((one) => program.queueOf(one, options.cluster) === queue);
      if (stage !== undefined) poll(stage, at);
    },
    sleep: time.sleep,
  });
  const everySweep = () => {
    if (stopped) return;
    invoke('sweep', everyMinute, ({ sweep }) => sweep());
    time.at(time.now() + everyMinute, everySweep);
  };
  time.at(time.now() + random.int(everyMinute), everySweep);
  return {
    queues,
    restart() {
      idle.clear();
      for (const process of processes) if (!process.isEnded) process.end();
      processes.clear();
    },
    stop() {
      stopped = true;
    },
  };
}

function counted(table: InMemoryTable, stage: string, onCall: OnCall | undefined): InMemoryTable {
  if (!onCall) return table;
  return aroundCalls(table, (name, call, args) => {
    onCall(stage, name, args);
    return call();
  });
}

function eventOf(queue: string, batch: readonly QueuedMessage[]): SQSEvent {
  const Records = batch.map((message) => ({
    messageId: message.id,
    receiptHandle: message.id,
    body: message.body,
    attributes: { ApproximateReceiveCount: String(message.receives), SentTimestamp: String(message.sentAt) },
    messageAttributes: {},
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN: `arn:aws:sqs:eu-central-1:1:${queue}`,
    awsRegion: 'eu-central-1',
  }));
  return { Records } as unknown as SQSEvent;
}
