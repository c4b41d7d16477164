// One installation and its cluster in virtual time: the API server, people, watchers, queues, table and functions of a history.
import type { Instant, Milliseconds } from '../../lib/model/time.ts';
import type { Log } from '../../lib/ports.ts';
import { createInMemoryTable, type InMemoryTable } from '../support/fakes/table.ts';
import { type ApiServer, createApiServer } from './apiServer.ts';
import type { Program } from './bundle.ts';
import { createClusterModel, type Shape, smallest } from './cluster.ts';
import { type Installation, type OnCall, startInstallation } from './functions.ts';
import { type Action, type Luck, noLuckNeeded } from './history.ts';
import { createOracle, type Oracle } from './oracle.ts';
import { createPaceLog, type PaceLog, slackOf } from './paceLog.ts';
import { createRandom } from './random.ts';
import { createTableCopies } from './tableCopies.ts';
import type { VirtualTime } from './virtualTime.ts';
import { startWatchers } from './watchers.ts';

export interface SceneOptions {
  readonly time: VirtualTime;
  readonly seed: number;
  readonly luck: Luck;
  readonly watchers: number;
  readonly comesBack: boolean;
  /** One for each process with module state of its own. */
  readonly programs: readonly Program[];
  /** Unique for each scene that a program plays: module state is kept by the name of the cluster. */
  readonly cluster: string;
  /** Called with one line for each event. */
  readonly say?: (text: string) => void;
  readonly onCall?: OnCall;
  readonly shape?: Shape;
  /** The history is not judged: the calls of a big cluster are only counted. */
  readonly isCounted?: true;
}

export interface Scene {
  readonly api: ApiServer;
  readonly table: InMemoryTable;
  readonly oracle: Oracle;
  readonly paces: PaceLog;
  readonly installation: Installation;
  readonly pauses: Pauses;
  /** The periods in which an EvictionStop existed and was served. */
  readonly stops: Pauses;
  /** The periods of which a restored table knows nothing. */
  readonly lost: readonly Required<Pauses[number]>[];
  act(action: Action): void;
  /** No faults from now on; clocks stay off, and deleted pods are not recreated. */
  endFaults(): void;
  stop(): void;
}

/** The periods in which the cluster was paused or stopped; the last one may be open. */
export type Pauses = { readonly from: Instant; until?: Instant }[];

const longestRequest: Milliseconds = 5000;

export function createScene(options: SceneOptions): Scene {
  const { time } = options;
  const say = (text: () => string) => options.say?.(text());
  const [program] = options.programs;
  if (!program) throw new Error('no program to play with');
  const random = createRandom(options.seed);
  const table = createInMemoryTable();
  let { luck, comesBack } = options;
  let downUntil: Instant = 0;
  const note = (message: string, fields: object = {}) =>
    say(() => `  log: ${message} ${JSON.stringify(fields).slice(0, 400)}`);
  const log: Log = { info: () => {}, warn: note, error: note };
  const api: ApiServer = createApiServer(time.now, () => oracle.judge);
  const oracle = createOracle(() => api, time.now, luck.skew);
  const copies = createTableCopies({ time, table });
  const paces = createPaceLog(oracle, {
    now: time.now,
    slack: slackOf(luck.skew, luck.stallTime + longestRequest),
    // A restored table has its earlier buckets.
    incarnation: () => `${api.incarnation()} ${copies.lost.length}`,
  });
  const chance = random.fork('cluster');
  const model = createClusterModel({
    api,
    shape: options.shape ?? smallest,
    now: time.now,
    at: time.at,
    soon: () => 500 + chance.int(6000),
    comesBack: () => (comesBack && chance.chance(0.7) ? chance.int(4) : undefined),
  });
  const stops: Pauses = [];
  /** A kind that is not served is no stop. */
  const noteStops = () => {
    const plural = 'evictionstops';
    noteChange(stops, api.servesNow(plural) && api.store.list(api.resource(plural)).length > 0);
  };
  /** Whether the period began or ended just now. */
  const noteChange = (periods: Pauses, isNow: boolean) => {
    const last = periods.at(-1);
    const isOpen = last !== undefined && last.until === undefined;
    if (isNow && !isOpen) periods.push({ from: time.now() });
    if (!isNow && isOpen) last.until = time.now();
    return isNow !== isOpen;
  };
  let firstVersion = 0;
  const begin = () => {
    model.begin();
    firstVersion = api.store.version();
    follow();
  };
  const follow = () => {
    if (options.isCounted) return;
    oracle.follow();
    api.store.subscribe((change) => {
      say(() => `${change.type} ${change.object.kind} ${change.object.metadata.name} at version ${change.version}`);
      paces.note();
      noteStops();
    });
    paces.note();
    noteStops();
  };
  begin();
  let restores = 0;
  const restore = ({ versionsBack, toldAfter }: Extract<Action, { do: 'Restore' }>) => {
    api.replaceStore({ versionsBack: Math.min(versionsBack, api.store.version() - firstVersion) });
    model.resume();
    follow();
    const { store } = api;
    const value = `restored-${++restores}`;
    time.at(time.now() + toldAfter, () => (api.store === store ? model.giveIncarnation(value) : undefined));
  };
  const isApiDown = () => time.now() < downUntil;
  const common = { time, api, cluster: options.cluster, log, luck: () => luck, programs: options.programs };
  // In half of all histories lists count as long from their first, second or third pod.
  const spread = random.fork('spread');
  const installation = startInstallation({
    ...common,
    table,
    random: random.fork('functions'),
    isApiCut: isApiDown,
    ...(options.isCounted || spread.chance(0.5) ? {} : { spread: { above: spread.int(3), noted: 1 } }),
    ...(options.onCall ? { onCall: options.onCall } : {}),
  });
  const sqs = installation.queues.client;
  const pauses: Pauses = [];
  const pause = (isPaused: boolean) => {
    if (!noteChange(pauses, isPaused)) return;
    if (isPaused) void program.pauseCluster(table, options.cluster, time.now());
    else void program.resumeCluster(table, options.cluster);
  };
  copies.begin(() => pauses.some(({ until }) => until === undefined));
  const restoreTable = (back: Milliseconds) => {
    const copy = copies.restore(back);
    if (!copy) return;
    installation.restart();
    noteChange(pauses, copy.isPaused);
    paces.note();
  };
  const serveAgainAfter = (missing: Extract<Action, { do: 'NotServed' }>) => {
    api.stopServing(missing.plural);
    noteStops();
    time.at(time.now() + missing.for, () => {
      api.serve(missing.plural);
      noteStops();
    });
  };
  const watchers = startWatchers({
    ...common,
    sqs,
    random: random.fork('watchers'),
    isApiDown,
    count: options.watchers,
  });
  const disturb = (action: Action) => {
    switch (action.do) {
      case 'Compact':
        return api.compact();
      case 'ApiServerDown':
        downUntil = time.now() + action.for;
        return undefined;
      case 'Redrive':
        return installation.queues.redrive();
      case 'Pause':
      case 'Resume':
        return pause(action.do === 'Pause');
      case 'NotServed':
        return serveAgainAfter(action);
      case 'NewCluster':
        api.replaceStore();
        return begin();
      case 'Restore':
        return restore(action);
      case 'RestoreTable':
        return restoreTable(action.back);
      default:
        return undefined;
    }
  };
  return {
    api,
    table,
    oracle,
    paces,
    installation,
    pauses,
    stops,
    lost: copies.lost,
    act(action) {
      say(() => `> ${JSON.stringify(action)}`);
      model.act(action);
      watchers.act(action);
      disturb(action);
    },
    endFaults() {
      say(() => 'the faults end');
      comesBack = false;
      copies.end();
      luck = { ...noLuckNeeded, skew: luck.skew, watcherSkew: luck.watcherSkew };
      downUntil = 0;
      pause(false);
      model.endStops();
      installation.queues.redrive();
    },
    stop() {
      installation.stop();
      watchers.stop();
    },
  };
}
