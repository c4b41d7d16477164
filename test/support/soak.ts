// An installation with faults: messages are duplicated, delayed, reordered or lost; functions crash and stall; clocks differ.
import { createSharedReads } from '../../lib/adapters/sharedReads.ts';
import { createMemory } from '../../lib/memory.ts';
import type { Change } from '../../lib/model/change.ts';
import type { Instant, Milliseconds } from '../../lib/model/time.ts';
import { sweep } from '../../lib/stages/sweep/index.ts';
import { type ClusterStepDependencies, isComeBack } from '../../lib/steps/step.ts';
import { type Around, aroundCalls } from './around.ts';
import { createWorld, type Message, type World } from './world.ts';

/** Probabilities are between 0 and 1. */
export interface Luck {
  readonly random: () => number;
  /** Probability that a message is delivered twice. */
  readonly twice: number;
  /** Probability that a message is lost: permanently if the sweep can detect that, else it is redriven from dead letters later. */
  readonly lost: number;
  /** Probability that a function crashes at one of its calls. */
  readonly crash: number;
  /** Probability that a table call stalls for up to three seconds. */
  readonly stall: number;
  /** Maximum additional delay of a message. */
  readonly delay: Milliseconds;
  /** Maximum clock skew of a function, in both directions. */
  readonly skew: Milliseconds;
}

export interface Soak {
  readonly world: World;
  send(body: readonly Change[]): void;
  /** Runs functions concurrently until that time. */
  runUntil(until: Instant, luck: Luck): Promise<void>;
}

const sweepEvery = 60_000;

/** Time after which the message of a crashed function is redelivered. */
const visibility = 5_000;

/** Time after which the operator redrives a message from a dead-letter queue. */
const redriven = 40_000;

/** Whether the sweep can detect the loss of a message from the table; watcher messages are stored nowhere else. */
function isMissed(message: Message): boolean {
  if (message.stage === 'evaluate') return message.body.chunk !== undefined;
  return message.stage !== 'ingest' && message.stage !== 'event';
}

interface Agenda {
  readonly at: Instant;
  readonly run: () => void;
}

/** `limit`: maximum evictions per second of the whole cluster. */
export function createSoak(start: Instant, limit?: number): Soak {
  const agenda: Agenda[] = [];
  const sleep = (duration: Milliseconds) =>
    new Promise<void>((resolve) => agenda.push({ at: world.now() + Math.max(0, duration), run: resolve }));
  const world: World = createWorld({ start, sleep, ...(limit === undefined ? {} : { maxEvictionsPerSecond: limit }) });
  let nextSweep = start + sweepEvery;

  const begin = (work: (as: ClusterStepDependencies) => Promise<unknown>, luck: Luck, again: () => void) => {
    void work(processOf(world, luck, sleep)).catch(again);
  };
  const post = (message: Message, luck: Luck) => {
    const isLost = luck.random() < luck.lost;
    if (isLost && isMissed(message)) return;
    const copies = luck.random() < luck.twice ? 2 : 1;
    for (let copy = 0; copy < copies; copy++) {
      const at = message.at + luck.random() * luck.delay + (isLost ? redriven : 0);
      agenda.push({ at, run: () => handle(message, luck) });
    }
  };
  const handle = (message: Message, luck: Luck) => {
    const comesBack = (seconds: number) =>
      agenda.push({ at: world.now() + seconds * 1000, run: () => handle(message, luck) });
    const work = async (as: ClusterStepDependencies) => {
      const answer = await world.deliver(message, as);
      if (isComeBack(answer)) comesBack(answer.seconds);
    };
    begin(work, luck, () => comesBack(visibility / 1000));
  };
  return {
    world,
    send: (body) => void world.messages.push({ stage: 'ingest', at: world.now(), body }),
    async runUntil(until, luck) {
      for (;;) {
        await new Promise<void>((resolve) => setImmediate(resolve));
        for (const message of world.messages.splice(0)) post(message, luck);
        const at = Math.min(nextSweep, ...agenda.map((one) => one.at));
        if (at > until) break;
        world.setNow(Math.max(world.now(), at));
        if (at === nextSweep) {
          nextSweep += sweepEvery;
          begin(
            (as) => sweep(as, world.cluster),
            luck,
            () => {},
          );
          continue;
        }
        const next = agenda.findIndex((one) => one.at === at);
        for (const one of agenda.splice(next, 1)) one.run();
      }
      world.setNow(until);
    },
  };
}

/** One function with its own clock; after the call at which it crashes, all of its calls fail. */
function processOf(
  world: World,
  luck: Luck,
  sleep: (duration: Milliseconds) => Promise<void>,
): ClusterStepDependencies {
  const { random } = luck;
  const skew = Math.round((2 * random() - 1) * luck.skew);
  let left = random() < luck.crash ? Math.floor(random() * 40) : Number.POSITIVE_INFINITY;
  const mayEnd: Around = async (name, call) => {
    if (left < 0) throw new Error(`the function has ended: no ${name}`);
    if (left-- > 0) return call();
    if (random() < 0.5) await call();
    throw new Error(`the function ends at ${name}`);
  };
  const mayStall: Around = async (name, call, args) => {
    if (random() < luck.stall) await sleep(random() * 3000);
    return mayEnd(name, call, args);
  };
  const { deps, api } = world;
  const now = () => world.now() + skew;
  const access = {
    ...api,
    // Shared reads age by the process's own clock.
    shared: createSharedReads(now),
    evictor: aroundCalls(api.evictor, mayEnd),
    ruleStatus: aroundCalls(api.ruleStatus, mayEnd),
    events: aroundCalls(api.events, mayEnd),
  };
  return {
    ...deps,
    memory: createMemory(),
    clock: { now, sleep },
    table: aroundCalls(deps.table, mayStall),
    queues: aroundCalls(deps.queues, mayEnd),
    accessTo: () => access,
  };
}
