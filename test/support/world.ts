// The whole path over an in-memory table, queues and API server, on a hand-moved clock: one installation in one object.

import { sendsTo } from '../../infra/grants.ts';
import { createMemory } from '../../lib/memory.ts';
import type { Change } from '../../lib/model/change.ts';
import { type ClusterId, clusterIdOf, clusterNameOf } from '../../lib/model/identity.ts';
import type {
  DueMessage,
  EvaluateMessage,
  EventMessage,
  EvictMessage,
  ReportMessage,
  RequestedObject,
} from '../../lib/model/message.ts';
import { allOwned, type ConfiguredModes } from '../../lib/model/ownership.ts';
import { type InstallationSettings, upstreamSettings } from '../../lib/model/snapshot.ts';
import type { Instant, Milliseconds } from '../../lib/model/time.ts';
import type { Queues } from '../../lib/ports.ts';
import { evaluate } from '../../lib/stages/evaluate/evaluate.ts';
import { evict, lookAtDue } from '../../lib/stages/evict/index.ts';
import { ingest } from '../../lib/stages/ingest/ingest.ts';
import { lookAtDueReport } from '../../lib/stages/report/dueReports.ts';
import { recordEvent, report } from '../../lib/stages/report/report.ts';
import { sweep } from '../../lib/stages/sweep/index.ts';
import { type ClusterStepDependencies, isComeBack } from '../../lib/steps/step.ts';
import { createAgenda } from './agenda.ts';
import { type Around, aroundCalls } from './around.ts';
import { createFakeApiServer, type FakeApiServer } from './fakes/apiServer.ts';
import { createInMemoryTable, type InMemoryTable } from './fakes/table.ts';

/** A message with the earliest instant at which its queue hands it out. */
export type Message =
  | { readonly stage: 'ingest'; readonly at: Instant; readonly body: readonly Change[]; readonly cluster?: ClusterId }
  | { readonly stage: 'evaluate'; readonly at: Instant; readonly body: EvaluateMessage }
  | { readonly stage: 'evict'; readonly at: Instant; readonly body: EvictMessage }
  | { readonly stage: 'report'; readonly at: Instant; readonly body: ReportMessage }
  /** Rows that are due, to the stages that take them one by one. */
  | { readonly stage: 'dueEvict' | 'dueReport'; readonly at: Instant; readonly body: DueMessage }
  | { readonly stage: 'event'; readonly at: Instant; readonly body: EventMessage };

/** Who works with the table and the queues, by the name of its function. */
export type Worker = 'ingest' | 'evaluate' | 'evict' | 'report' | 'sweep';

export interface World {
  readonly deps: ClusterStepDependencies;
  /** What one function works with. */
  depsOf(worker: Worker): ClusterStepDependencies;
  readonly table: InMemoryTable;
  readonly api: FakeApiServer;
  readonly cluster: ClusterId;
  readonly messages: Message[];
  /** What the watcher has been asked for. */
  readonly requested: RequestedObject[];
  readonly metrics: Map<string, number>;
  /** Invocations of evict side by side; absent: any number. */
  evictors?: number;
  now(): Instant;
  /** Moves the clock. */
  setNow(at: Instant): void;
  /** What the step answered; `as` stands for another process, with a clock or with luck of its own. A step that sleeps moves the clock. */
  deliver(message: Message, as?: ClusterStepDependencies): Promise<unknown>;
  /** Delivers what is ready, in the order of its time and beside what still runs, moving the clock up to `until` and sweeping each minute. */
  runUntil(until: Instant): Promise<void>;
}

let clusters = 0;

export function createWorld(options: {
  readonly start: Instant;
  readonly settings?: Partial<InstallationSettings>;
  readonly recordDays?: number;
  /** As configured, asked again each time; everything is owned by default. */
  readonly modes?: () => ConfiguredModes;
  /** Of the whole cluster. */
  readonly maxEvictionsPerSecond?: number;
  readonly beforeCall?: (call: string) => Promise<void>;
  /** Around every call of the table, the queues and the API server; a step that fails for it is run again a second later. */
  readonly around?: Around;
  /** How steps sleep; by default they wake when the clock has moved so far. */
  readonly sleep?: (duration: number) => Promise<void>;
  /** Messages are not what the API server holds: a test says that itself, by `api.live`. */
  readonly isBlind?: boolean;
  /** What one function works with, where not all share everything; asked once for each. */
  readonly depsFor?: (worker: Worker, deps: ClusterStepDependencies) => ClusterStepDependencies;
  /** How long after its time a message to the evictors comes. */
  readonly evictLag?: Milliseconds;
}): World {
  let now = options.start;
  let lastSweep = options.start;
  const table = createInMemoryTable(options.beforeCall);
  const api = createFakeApiServer(() => now);
  // Caches of rules and heartbeats live per process and cluster name: a new name is a new process.
  const cluster = clusterIdOf(`cluster-${++clusters}`, api.live.uid);
  const messages: Message[] = [];
  const metrics = new Map<string, number>();
  const push = (queued: readonly Message[]) => {
    messages.push(...queued);
  };
  const requested: RequestedObject[] = [];
  const { around, isBlind = false } = options;
  const agenda = createAgenda({
    now: () => now,
    setNow: (at) => {
      now = at;
    },
  });
  const ports: ClusterStepDependencies = {
    table,
    clock: {
      now: () => now,
      sleep: options.sleep ?? ((duration) => agenda.sleep(duration)),
    },
    queues: {
      sendEvaluate: async (bodies) => push(bodies.map((body) => ({ stage: 'evaluate', at: now, body }))),
      sendEvict: async (bodies) =>
        push(
          bodies.map(({ notBefore, ...body }) => ({
            stage: 'evict',
            at: delayed(now, notBefore) + (options.evictLag ?? 0),
            body,
          })),
        ),
      sendDue: async (bodies) =>
        push(bodies.flatMap((body) => dueMessages(body, now + (body.stage === 'evict' ? (options.evictLag ?? 0) : 0)))),
      sendResend: async (bodies) => {
        requested.push(...bodies.flatMap(({ objects }) => objects));
      },
      sendReport: async (bodies) =>
        push(bodies.map(({ notBefore, ...body }) => ({ stage: 'report', at: delayed(now, notBefore), body }))),
      sendEvents: async (bodies) => push(bodies.map((body) => ({ stage: 'event', at: now, body }))),
    },
    metrics: { add: (name, value) => void metrics.set(name, (metrics.get(name) ?? 0) + value) },
    log: { info: () => {}, warn: () => {}, error: () => {} },
    modesOf: () => options.modes?.() ?? allOwned,
    limitOf: () => options.maxEvictionsPerSecond,
    settings: { ...upstreamSettings, ...options.settings },
    recordDays: options.recordDays ?? 90,
    accessTo: () => api,
    memory: createMemory(),
  };
  const deps = around ? interrupted(ports, api, around) : ports;
  const workers = new Map<Worker, ClusterStepDependencies>();
  const depsOf = (worker: Worker): ClusterStepDependencies => {
    const known = workers.get(worker);
    if (known) return known;
    const granted = { ...deps, queues: grantedTo(worker, deps.queues) };
    if (!options.depsFor) {
      workers.set(worker, granted);
      return granted;
    }
    const own = options.depsFor(worker, granted);
    const made = { ...own, table: aroundCalls(own.table, (_, call) => agenda.during(call())) };
    workers.set(worker, made);
    return made;
  };
  /** What a watcher tells of is what the API server holds. */
  const observed = (as: ClusterStepDependencies, message: Message) => {
    if (message.stage === 'ingest' && !isBlind) api.live.observe(message.body);
    return deliver(as, cluster, message);
  };
  /** A step that fails without an injected fault fails the test; else it is as with a queue whose handler failed, or a schedule. */
  const run = (step: Promise<unknown>, later: () => void) =>
    agenda.watch(around ? step.catch(later) : step, options.sleep === undefined);
  let evicting = 0;
  const isDeliverable = ({ stage }: Message) =>
    stage !== 'evict' || evicting < (world.evictors ?? Number.POSITIVE_INFINITY);
  const counted = ({ stage }: Message, step: Promise<unknown>) => {
    if (stage !== 'evict') return step;
    evicting++;
    return step.finally(() => {
      evicting--;
    });
  };
  const world: World = {
    deps,
    depsOf,
    table,
    api,
    cluster,
    messages,
    requested,
    metrics,
    now: () => now,
    setNow: (at) => {
      now = at;
    },
    deliver(message, as = depsOf(workerOf(message))) {
      const step = observed(as, message);
      return options.sleep ? step : agenda.drive(step);
    },
    async runUntil(until) {
      for (let steps = 0; steps < 1_000_000; steps++) {
        await agenda.settle();
        messages.sort((a, b) => a.at - b.at);
        const next = messages.find(isDeliverable);
        const sweepAt = lastSweep + 60_000;
        const at = Math.min(sweepAt, next?.at ?? sweepAt, agenda.next());
        if (at > until) break;
        now = Math.max(now, at);
        if (agenda.next() <= at) agenda.wake();
        else if (sweepAt <= at) {
          lastSweep = sweepAt;
          const later = () => {
            lastSweep = sweepAt - 59_000;
          };
          await run(sweep(depsOf('sweep'), clusterIdOf(clusterNameOf(cluster), api.live.uid)), later);
        } else if (next) {
          messages.splice(messages.indexOf(next), 1);
          const step = observed(depsOf(workerOf(next)), next).then((answer) => {
            if (isComeBack(answer)) push([{ ...next, at: now + answer.seconds * 1000 }]);
          });
          await run(counted(next, step), () => push([{ ...next, at: now + 1000 }]));
        }
      }
      now = Math.max(now, until);
    },
  };
  return world;
}

function dueMessages({ stage, cluster, rows }: Parameters<Queues['sendDue']>[0][number], at: Instant): Message[] {
  if (stage === 'ingest') return [{ stage, at, cluster, body: [{ type: 'Due', rows }] }];
  const to = stage === 'evict' ? 'dueEvict' : 'dueReport';
  return rows.map((row) => ({ stage: to, at, body: { cluster, rows: [row] } }));
}

/** The queue behind each method; due rows and requests go where the name of the evaluate queue leads. */
const queueOf: Readonly<Record<keyof Queues, (typeof sendsTo)[Worker][number]>> = {
  sendEvaluate: 'evaluate',
  sendDue: 'evaluate',
  sendResend: 'evaluate',
  sendEvict: 'evict',
  sendReport: 'report',
  sendEvents: 'report',
};

/** A function knows the queues that the stack lets it send to, and no others. */
function grantedTo(worker: Worker, queues: Queues): Queues {
  const granted = { ...queues };
  for (const method of Object.keys(queueOf) as (keyof Queues)[]) {
    granted[method] = async (messages: readonly object[]) => {
      if (messages.length > 0 && !sendsTo[worker].includes(queueOf[method]))
        throw new Error(`${worker} may not send to the queue ${queueOf[method]}`);
      // Read late: a test may have replaced it.
      return (queues[method] as (messages: readonly object[]) => Promise<void>)(messages);
    };
  }
  return granted;
}

/** By the queue that a message travels on. */
function workerOf({ stage }: Message): Worker {
  if (stage === 'dueEvict') return 'evict';
  return stage === 'dueReport' || stage === 'event' ? 'report' : stage;
}

function interrupted(ports: ClusterStepDependencies, api: FakeApiServer, around: Around): ClusterStepDependencies {
  const access = { ...api, evictor: aroundCalls(api.evictor, around), ruleStatus: aroundCalls(api.ruleStatus, around) };
  return {
    ...ports,
    table: aroundCalls(ports.table, around),
    queues: aroundCalls(ports.queues, around),
    accessTo: () => access,
  };
}

function delayed(now: Instant, notBefore: Instant | undefined): Instant {
  if (notBefore === undefined || notBefore <= now) return now;
  return now + Math.min(900, Math.ceil((notBefore - now) / 1000)) * 1000;
}

async function deliver(deps: ClusterStepDependencies, cluster: ClusterId, message: Message): Promise<unknown> {
  switch (message.stage) {
    case 'ingest': {
      const results = await ingest(deps, message.cluster ?? cluster, message.body);
      const failed = results.find((result) => result.kind === 'Failed');
      if (failed?.kind === 'Failed') throw failed.error;
      return results.some(({ kind }) => kind === 'Later') ? { kind: 'ComeBack', seconds: 1 } : undefined;
    }
    case 'evaluate':
      return evaluate(deps, message.body);
    case 'evict':
      return evict(deps, message.body);
    case 'dueEvict':
      return lookAtDue(deps, message.body);
    case 'dueReport':
      return lookAtDueReport(deps, message.body);
    case 'report':
      return report(deps, message.body);
    case 'event':
      return recordEvent(deps, message.body);
    default:
      return message satisfies never;
  }
}
