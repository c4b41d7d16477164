// Sluice beside one real API server: the real watcher, steps and adapters, over a table and queues in memory.

import { systemClock } from '../../lib/adapters/clock.ts';
import { createApiClient } from '../../lib/adapters/kubernetes/apiClient.ts';
import { credentialsFromFile } from '../../lib/adapters/kubernetes/credentials.ts';
import { accessThrough } from '../../lib/lambda/access.ts';
import { openKubeconfig } from '../../lib/local/kubeconfig.ts';
import { createMemory } from '../../lib/memory.ts';
import type { Change } from '../../lib/model/change.ts';
import { clusterIdOf } from '../../lib/model/identity.ts';
import { allOwned } from '../../lib/model/ownership.ts';
import type { Settings } from '../../lib/model/snapshot.ts';
import type { Log } from '../../lib/ports.ts';
import { evaluate } from '../../lib/stages/evaluate/evaluate.ts';
import { evict, lookAtDue } from '../../lib/stages/evict/index.ts';
import { ingest } from '../../lib/stages/ingest/ingest.ts';
import { lookAtDueReport } from '../../lib/stages/report/dueReports.ts';
import { recordEvent, report } from '../../lib/stages/report/report.ts';
import { sweep } from '../../lib/stages/sweep/index.ts';
import { type ClusterStepDependencies, isComeBack } from '../../lib/steps/step.ts';
import { startWatcher } from '../../lib/watcher/watcher.ts';
import { createInMemoryTable } from '../support/fakes/table.ts';
import { createMemoryQueues } from './memoryQueues.ts';

export interface RunningSluice {
  /** No message is ready or being processed; those that wait for a later time do not count. */
  isIdle(): boolean;
  /** What went wrong so far, to explain a difference. */
  readonly problems: readonly string[];
  stop(): Promise<void>;
}

export interface SluiceOptions {
  readonly kubeconfig: string;
  /** Caches live per process and cluster name: a new name is a new installation. */
  readonly cluster: string;
  readonly settings: Settings;
}

/** Resolves when every kind is listed and watched and the heartbeat has been taken in. */
export async function startSluice(options: SluiceOptions): Promise<RunningSluice> {
  const problems: string[] = [];
  const note = (message: string, fields?: object) => {
    problems.push(`${message} ${JSON.stringify(fields ?? {})}`);
  };
  const log: Log = { info: () => {}, warn: note, error: note };
  const opened = await openKubeconfig(options.kubeconfig);
  const connect = () =>
    createApiClient(
      opened.connection,
      credentialsFromFile('path' in opened.connection.auth ? opened.connection.auth.path : ''),
    );
  const [stepClient, watchClient] = [connect(), connect()];
  const access = accessThrough(stepClient, { clock: systemClock, log });
  const live = await access.live.incarnation();
  if (live.kind !== 'Found') throw new Error(live.why);
  const cluster = clusterIdOf(options.cluster, live.incarnation);
  const queues = createMemoryQueues(systemClock, note);
  const deps: ClusterStepDependencies = {
    table: createInMemoryTable(),
    clock: systemClock,
    queues: queues.port,
    metrics: { add: () => {} },
    log,
    modesOf: () => allOwned,
    limitOf: () => undefined,
    settings: options.settings,
    recordDays: 90,
    memory: createMemory(),
    accessTo: () => access,
  };
  queues.start({
    ingest: async (changes) => {
      const results = await ingest(deps, cluster, changes);
      return results.map((result) => (result.kind === 'Failed' ? result.error : undefined));
    },
    evaluate: (message) => evaluate(deps, message),
    evict: (message) => ('rows' in message ? lookAtDue(deps, message) : evict(deps, message)),
    report: (message) => {
      if ('rows' in message) return lookAtDueReport(deps, message);
      return 'event' in message ? recordEvent(deps, message) : report(deps, message);
    },
    isComeBack,
  });
  const stopped = new AbortController();
  const watcher = startWatcher({
    client: watchClient,
    incarnation: live.incarnation,
    readIncarnation: access.live.incarnation,
    outbox: {
      send: async (changes: readonly Change[]) => queues.sendChanges(changes),
      drained: async () => {},
      state: { waiting: 0, sent: 0, refused: 0, problem: undefined },
    },
    clock: systemClock,
    log,
    signal: stopped.signal,
  });
  const sweeping = setInterval(() => {
    sweep(deps, cluster).catch((error: unknown) => note(`sweep: ${error}`));
  }, 60_000);
  while (!watcher.isReady() || watcher.heartbeat.last === undefined || !queues.isIdle()) await systemClock.sleep(20);
  return {
    isIdle: queues.isIdle,
    problems,
    async stop() {
      clearInterval(sweeping);
      stopped.abort();
      await watcher.done;
      await queues.stop();
      stepClient.close();
      watchClient.close();
      opened.stop();
    },
  };
}
