// Two simulated clusters: pods are created, their devices are tainted, and the pods are evicted, with or without a fault in Sluice.
import { formatMessage } from '../../lib/adapters/sqs/wire.ts';
import type { Change } from '../../lib/model/change.ts';
import type { Pod, ResourceClaim } from '../../lib/model/objects.ts';
import { liveIncarnation } from '../support/fakes/liveCluster.ts';
import { aClaim, aHeartbeat, aPod, aRule, deleted, driver, upserted } from '../support/objects.ts';
import type { Handler } from './account.ts';
import { type AlarmState, nextState } from './evaluate.ts';
import { clusters, createInstallation, type Installation } from './installation.ts';
import { pointsOf, type WatchedAlarm } from './watchedAlarm.ts';

/** Parts that a fault may switch off. */
export interface Switches {
  schedule: boolean;
  readonly watchers: Set<string>;
}

export interface Life extends Installation {
  readonly switches: Switches;
  /** Runs the account for that many minutes. */
  live(minutes: number): Promise<void>;
  stateOf(alarm: WatchedAlarm): AlarmState;
  /** Redrives dead letters, as StartMessageMoveTask does. */
  redrive(): void;
}

const minute = 60_000;
/** Milliseconds between two heartbeats. */
const heartbeatEvery = 15_000;
/** Minutes between two tainted devices, and until the rule of one is deleted. */
const [breaksEvery, ruleLives] = [2, 10];
/** More pods than ingest evaluates by itself. */
const podsPerDevice = 12;

export function createLife(start: number): Life {
  const installation = createInstallation(start);
  const { account, queues, functions, table } = installation;
  for (const name of ['Sluice-evict-edge', 'Sluice-report-edge'])
    installation.queue(name).consumer = functions.executor;
  /** The event that the schedules of the template send. */
  const scheduledFor = (cluster: string) => ({ Records: [], cluster });
  const switches: Switches = { schedule: true, watchers: new Set(clusters) };
  const states = new Map<string, { state: AlarmState; at: number }>();
  let second = 0;

  async function passSecond(): Promise<void> {
    const at = start + ++second * 1000;
    account.passTo(at);
    for (const cluster of switches.watchers) watch(installation, cluster, at);
    if (second % 60 === 0 && switches.schedule)
      for (const cluster of clusters) await account.invoke(functions.sweep, scheduledFor(cluster));
    // A dashboard is open all the time.
    if (second % 60 === 30) await account.invoke(functions.widget, { Records: [] });
    await account.deliver(queues);
    if (second % 60 !== 59) return;
    account.reportQueues(queues);
    await forgetExpired(table, at);
  }

  return {
    ...installation,
    switches,
    async live(minutes) {
      for (let passed = 0; passed < minutes * 60; passed++) await passSecond();
    },
    stateOf(alarm) {
      const end = Math.floor((start + second * 1000) / alarm.period) * alarm.period;
      const known = states.get(alarm.name) ?? { state: 'INSUFFICIENT_DATA', at: end - alarm.period };
      let { state } = known;
      for (let at = known.at + alarm.period; at <= end; at += alarm.period)
        state = nextState(alarm, pointsOf(account.metrics, alarm, at), state);
      states.set(alarm.name, { state, at: end });
      return state;
    },
    redrive() {
      for (const queue of queues) for (const { body } of queue.dead.splice(0)) account.send(queue, { body });
    },
  };
}

/** Sends what the watcher of a cluster sends in this second. */
function watch({ account, api, queue }: Installation, cluster: string, at: number): void {
  const send = (...changes: Change[]) => {
    api[cluster]?.live.observe(changes);
    for (const change of changes)
      account.send(queue(`Sluice-ingest-${cluster}`), {
        body: formatMessage({ ...change, incarnation: liveIncarnation }),
      });
  };
  const server = api[cluster];
  if (at % heartbeatEvery === 0) send(aHeartbeat(at));
  if (at % (breaksEvery * minute) !== 0 || !server) return;
  const [broken, old] = [at, at - ruleLives * minute].map((when) => `n${when / minute}`) as [string, string];
  const rule = aRule(broken, at, { deviceSelector: { driver, device: broken } });
  const { claim, pods } = workloadOf(broken);
  for (const { name, uid } of pods) server.pods.set(`default/${name}`, { uid, terminating: false, marked: false });
  server.rules.set(broken, { rule, conditions: [] });
  send(upserted(claim), ...pods.map((pod) => upserted(pod)), upserted(rule));
  if (!server.rules.delete(old)) return;
  const gone = workloadOf(old);
  for (const { name } of gone.pods) server.pods.delete(`default/${name}`);
  send(deleted(aRule(old, at)), ...gone.pods.map((pod) => deleted(pod)), deleted(gone.claim));
}

/** Pods that share one device by one claim. */
function workloadOf(device: string): { readonly claim: ResourceClaim; readonly pods: readonly Pod[] } {
  const resourceClaims = [{ name: 'gpu', resourceClaimName: `claim-${device}` }];
  const pods = Array.from({ length: podsPerDevice }, (_, i) => aPod(`${device}-${i}`, { resourceClaims }));
  const reservedFor = pods.map(({ name, uid }) => ({ resource: 'pods', name, uid }));
  return { claim: aClaim(device, device, { reservedFor }), pods };
}

/** Deletes expired rows, as DynamoDB's time to live does. */
async function forgetExpired(table: Installation['table'], now: number): Promise<void> {
  for (const { pk, sk, ttl } of table.rows())
    if (typeof ttl === 'number' && ttl * 1000 < now) await table.write({ kind: 'Delete', key: { pk, sk } });
}

/** Starts the real module of a function, which finds none of its environment variables. */
export const startWithoutEnvironment: Readonly<Record<string, () => Promise<Handler>>> = {
  ingest: async () => (await import('../../functions/ingest.ts')).handler,
  evaluate: async () => (await import('../../functions/evaluate.ts')).handler,
  evict: async () => (await import('../../functions/evict.ts')).handler,
  report: async () => (await import('../../functions/report.ts')).handler,
  sweep: async () => (await import('../../functions/sweep.ts')).handler as unknown as Handler,
  widget: async () => (await import('../../functions/widget.ts')).handler as unknown as Handler,
};
