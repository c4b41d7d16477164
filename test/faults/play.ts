// Plays one history from its first object to the judgement, on virtual time.
import type { Instant, Milliseconds } from '../../lib/model/time.ts';
import type { Log } from '../../lib/ports.ts';
import { createInMemoryTable } from '../support/fakes/table.ts';
import { type ApiServer, createApiServer } from './apiServer.ts';
import type { Program } from './bundle.ts';
import { createClusterModel } from './cluster.ts';
import { startInstallation } from './functions.ts';
import { type Action, type History, noLuckNeeded } from './history.ts';
import { judgeHistory, seconds, type Violation } from './judge.ts';
import { createOracle } from './oracle.ts';
import { createPaceLog, slackOf } from './paceLog.ts';
import { createRandom } from './random.ts';
import { installVirtualTime, type VirtualTime } from './virtualTime.ts';
import { startWatchers } from './watchers.ts';

export interface Played {
  readonly violations: readonly Violation[];
  /** What happened, one line each; empty unless it was asked for. */
  readonly trace: readonly string[];
  readonly deletes: number;
  readonly steps: number;
}

const start: Instant = Date.UTC(2027, 0, 15, 12);

/** After the faults: long enough for a round of the mirror, leases, returns of messages and what their sweeps repair. */
const quiet: Milliseconds = 16 * 60_000;

export interface PlayOptions {
  /** One per process that remembers things of its own. */
  readonly programs: readonly Program[];
  /** Another one for each history that a program has played: modules remember clusters by their names. */
  readonly cluster: string;
  readonly trace?: boolean;
}

export async function playHistory(history: History, options: PlayOptions): Promise<Played> {
  const time = installVirtualTime(start);
  try {
    return await play(history, options, time);
  } finally {
    time.uninstall();
  }
}

async function play(history: History, options: PlayOptions, time: VirtualTime): Promise<Played> {
  const [program] = options.programs;
  if (!program) throw new Error('no program to play with');
  const random = createRandom(history.seed);
  let luck = history.luck;
  let areFaultsOver = false;
  let downUntil = 0;
  const trace: string[] = [];
  const say = (text: string) => {
    if (options.trace) trace.push(`${seconds(time.now() - start)} ${text}`);
  };
  const note = (message: string, fields: object = {}) =>
    say(`  log: ${message} ${JSON.stringify(fields).slice(0, 400)}`);
  const log: Log = { info: () => {}, warn: note, error: note };
  const api: ApiServer = createApiServer(time.now, () => oracle.judge);
  const oracle = createOracle(() => api, time.now);
  const paces = createPaceLog(oracle, time.now, slackOf(history.luck.skew, history.luck.stallTime + 5000));
  const chance = random.fork('cluster');
  const model = createClusterModel({
    api,
    now: time.now,
    at: time.at,
    soon: () => 500 + chance.int(6000),
    comesBack: () => (history.comesBack && !areFaultsOver && chance.chance(0.7) ? chance.int(4) : undefined),
  });
  const follow = () => {
    oracle.follow();
    model.begin();
    api.store.subscribe((change) => {
      say(`${change.type} ${change.object.kind} ${change.object.metadata.name} at version ${change.version}`);
      paces.note(limitersIn(api, oracle));
    });
  };
  follow();
  const table = createInMemoryTable();
  const common = { time, api, cluster: options.cluster, log, luck: () => luck, programs: options.programs };
  const installation = startInstallation({
    ...common,
    table,
    random: random.fork('functions'),
    isApiCut: () => time.now() < downUntil,
  });
  const watchers = startWatchers({
    ...common,
    sqs: installation.queues.client,
    random: random.fork('watchers'),
    isApiDown: () => time.now() < downUntil,
    count: history.watchers,
  });
  const act = (action: Action) => {
    say(`> ${JSON.stringify(action)}`);
    model.act(action);
    watchers.act(action);
    switch (action.do) {
      case 'Compact':
        return api.compact();
      case 'ApiServerDown':
        downUntil = time.now() + action.for;
        return;
      case 'NotServed':
        api.stopServing(action.plural);
        return time.at(time.now() + action.for, () => api.serve(action.plural));
      case 'Redrive':
        return installation.queues.redrive();
      case 'NewCluster':
        api.replaceStore();
        return follow();
      default:
        return;
    }
  };
  for (const { at, action } of history.events) time.at(start + at, () => act(action));
  await time.runUntil(start + history.length);
  say('the faults end');
  areFaultsOver = true;
  luck = { ...noLuckNeeded, skew: luck.skew, watcherSkew: luck.watcherSkew };
  downUntil = 0;
  installation.queues.redrive();
  await time.runUntil(time.now() + quiet / 2);
  installation.queues.redrive();
  await time.runUntil(time.now() + quiet / 2);
  installation.stop();
  watchers.stop();
  for (const one of api.deletes) say(`delete ${JSON.stringify(one)}`);
  const { cluster } = options;
  const judged = { api, table, cluster, program, oracle, paces, start, now: time.now() };
  const violations = await judgeHistory(judged);
  return { violations, trace, deletes: api.deletes.filter(({ took }) => took).length, steps: time.steps };
}

function limitersIn(api: ApiServer, oracle: ReturnType<typeof createOracle>): ReadonlySet<string> {
  return new Set(api.store.list(api.resource('pods')).flatMap((pod) => oracle.limitersOf(pod)));
}
