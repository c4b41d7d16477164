// One installation in one object: all stages with in-memory table, queues and API server on a manually advanced clock.

import { type FunctionName, sendsTo } from '../../infra/grants.ts';
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

/** A message with its earliest delivery time. */
export type Message =
  | { readonly stage: 'ingest'; readonly at: Instant; readonly body: readonly Change[]; readonly cluster?: ClusterId }
  | { readonly stage: 'evaluate'; readonly at: Instant; readonly body: EvaluateMessage }
  | { readonly stage: 'evict'; readonly at: Instant; readonly body: EvictMessage }
  | { readonly stage: 'report'; readonly at: Instant; readonly body: ReportMessage }
  /** Due rows for the stages that process them one by one. */
  | { readonly stage: 'dueEvict' | 'dueReport'; readonly at: Instant; readonly body: DueMessage }
  | { readonly stage: 'event'; readonly at: Instant; readonly body: EventMessage };

/** Functions that use the table and the queues. */
export type Worker = 'ingest' | 'evaluate' | 'evict' | 'report' | 'sweep';

export interface World {
  readonly deps: ClusterStepDependencies;
  /** Dependencies of one function. */
  depsOf(worker: Worker): ClusterStepDependencies;
  readonly table: InMemoryTable;
  readonly api: FakeApiServer;
  readonly cluster: ClusterId;
  readonly messages: Message[];
  /** Objects requested from the watcher. */
  readonly requested: RequestedObject[];
  readonly metrics: Map<string, number>;
  /** Maximum concurrent invocations of evict; absent: unlimited. */
  evictors?: number;
  now(): Instant;
  /** Moves the clock. */
  setNow(at: Instant): void;
  /** Returns the step's result; `as`: another process, with its own clock or faults. A sleeping step moves the clock. */
  deliver(message: Message, as?: ClusterStepDependencies): Promise<unknown>;
  /** Delivers messages in time order, concurrently with running steps; advances the clock to `until` and sweeps each minute. */
  runUntil(until: Instant): Promise<void>;
}

let clusters = 0;

export function createWorld(options: {
  readonly start: Instant;
  readonly settings?: Partial<InstallationSettings>;
  readonly recordDays?: number;
  /** Configured modes, read each time; default: `own` for all. */
  readonly modes?: () => ConfiguredModes;
  /** Limit of the whole cluster. */
  readonly maxEvictionsPerSecond?: number;
  readonly beforeCall?: (call: string) => Promise<void>;
  /** Wraps every call of table, queues and API server; a step that fails because of it is retried a second later. */
  readonly around?: Around;
  /** How steps sleep; default: until the clock reaches the wake time. */
  readonly sleep?: (duration: number) => Promise<void>;
  /** Messages do not update the live API server: the test sets its objects by `api.live`. */
  readonly isBlind?: boolean;
  /** Dependencies of one function, if not all share the same; called once per function. */
  readonly depsFor?: (worker: Worker, deps: ClusterStepDependencies) => ClusterStepDependencies;
  /** Delay of messages to evict after their delivery time. */
  readonly evictLag?: Milliseconds;
}): World {
  let now = options.start;
  let lastSweep = options.start;
  const table = createInMemoryTable(options.beforeCall);
  const api = createFakeApiServer(() => now);
  // Rules and heartbeats are cached per process and cluster name: a new name acts as a new process.
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
        push(
          bodies.flatMap((body) =>
            dueMessages(body, delayed(now, body.notBefore) + (body.stage === 'evict' ? (options.evictLag ?? 0) : 0)),
          ),
        ),
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
  /** Changes from the watcher also update the live API server. */
  const observed = (as: ClusterStepDependencies, message: Message) => {
    if (message.stage === 'ingest' && !isBlind) api.live.observe(message.body);
    return deliver(as, cluster, message);
  };
  /** With injected faults, a failed step is retried like a failed queue handler or schedule; otherwise it fails the test. */
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

/** Queue of each method; due rows go to the queue of their stage, of which only ingest's is named. */
const queueOf: Readonly<Record<keyof Queues, string>> = {
  sendEvaluate: 'evaluate',
  sendDue: 'ingest',
  sendResend: 'resend',
  sendEvict: 'evict',
  sendReport: 'report',
  sendEvents: 'report',
};

/** Beside those of the stages: what infra/sluice.ts grants for each cluster. */
export const queuesOfClusters: Readonly<Partial<Record<FunctionName, readonly string[]>>> = {
  ingest: ['ingest', 'resend'],
  sweep: ['ingest'],
};

/** Only the queues that the stack allows the function to send to. */
function grantedTo(worker: Worker, queues: Queues): Queues {
  const granted = { ...queues };
  const allowed: readonly string[] = [...sendsTo[worker], ...(queuesOfClusters[worker] ?? [])];
  for (const method of Object.keys(queueOf) as (keyof Queues)[]) {
    granted[method] = async (messages: readonly object[]) => {
      if (messages.length > 0 && !allowed.includes(queueOf[method]))
        throw new Error(`${worker} may not send to the queue ${queueOf[method]}`);
      // Read at call time: a test may have replaced the method.
      return (queues[method] as (messages: readonly object[]) => Promise<void>)(messages);
    };
  }
  return granted;
}

/** Function that receives a message, by its queue. */
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
