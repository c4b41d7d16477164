// For each entry of the runbook: the fault that is injected into an installation, and how it is undone.
import { formatMessage } from '../../lib/adapters/sqs/wire.ts';
import type { RunbookEntry } from '../../lib/config/runbookEntries.ts';
import { tokenLifetime } from '../../lib/decide/token.ts';
import type { Manifest } from '../../lib/model/change.ts';
import type { ApiFailure } from '../../lib/ports.ts';
import { liveIncarnation } from '../support/fakes/liveCluster.ts';
import { aClass, aHeartbeat, upserted } from '../support/objects.ts';
import { type Actor, actors } from './installation.ts';
import type { Life } from './life.ts';
import { startWithoutEnvironment } from './life.ts';
import type { WatchedAlarm } from './watchedAlarm.ts';

export interface Fault {
  readonly what: string;
  /** Minutes within which the alarm must fire. */
  readonly within: number;
  /** Injects the fault and returns what undoes it. */
  begin(life: Life, alarm: WatchedAlarm): () => void;
}

export const faults: Readonly<Record<RunbookEntry, Fault>> = {
  'messages-wait': {
    what: 'no function consumes the queue',
    within: 25,
    begin(life, alarm) {
      const queue = queueOf(life, alarm);
      const { consumer } = queue;
      queue.consumer = undefined;
      return () => {
        queue.consumer = consumer;
      };
    },
  },
  'dead-letters': {
    what: 'the function that receives from the queue loses its right to the table',
    within: 40,
    begin(life, alarm) {
      const { consumer } = queueOf(life, alarm);
      const actor = actors.find((name) => life.functions[name] === consumer);
      if (!actor) throw new Error(`nothing consumes for ${alarm.name}`);
      life.faults.denied.add(actor);
      return () => {
        life.faults.denied.delete(actor);
      };
    },
  },
  'poison-messages': {
    what: 'a sender writes a message of an unknown version',
    within: 2,
    begin(life) {
      life.account.send(life.queue('Sluice-ingest-prod'), { body: '{"version":99}' });
      return () => {};
    },
  },
  'function-errors': {
    what: 'the environment of the function is emptied',
    within: 10,
    begin(life, alarm) {
      const { actor, target } = functionOf(life, alarm);
      const { start } = target;
      target.start = startWithoutEnvironment[actor] ?? start;
      return () => {
        target.start = start;
      };
    },
  },
  'sweep-silent': {
    what: 'the schedule is disabled',
    within: 10,
    begin({ switches }) {
      switches.schedule = false;
      return () => {
        switches.schedule = true;
      };
    },
  },
  'watcher-silent': {
    what: 'the watcher has stopped',
    within: 10,
    begin({ switches }, alarm) {
      const cluster = dimension(alarm, 'cluster');
      switches.watchers.delete(cluster);
      return () => {
        switches.watchers.add(cluster);
      };
    },
  },
  'evictions-refused': {
    what: 'the role loses the verb delete on pods',
    within: 5,
    begin(life) {
      return answerDeletes(life, { kind: 'Refused', why: 'pods is forbidden: cannot delete' });
    },
  },
  'clusters-under-one-name': {
    what: 'the watcher of another cluster sends to the queue of this one',
    within: 5,
    begin(life) {
      const other = { ...aHeartbeat(life.account.now()), incarnation: 'uid-of-another' };
      life.account.send(ingestQueue(life), { body: formatMessage(other) });
      return () => {};
    },
  },
  'revision-went-back': {
    what: 'etcd is restored, and the next rounds of a kind are below its watermark',
    within: 15,
    begin(life) {
      const queue = ingestQueue(life);
      for (const [minute, resourceVersion] of [
        [0, '1000'],
        [1, '500'],
        [10, '510'],
      ] as const)
        life.account.send(queue, { body: manifestOf({ resourceVersion, entries: [] }), delaySeconds: minute * 60 });
      return () => {};
    },
  },
  'tokens-dropped': {
    what: 'each write of a bucket takes longer than a token lives',
    within: 30,
    begin({ table, account }) {
      const { write } = table;
      table.write = async (one) => {
        const { pk, sk } = one.kind === 'Put' ? one.row : one.key;
        if (`${pk}#${sk}`.includes('BUCKET')) await account.sleep(tokenLifetime + 200);
        return write(one);
      };
      return () => {
        table.write = write;
      };
    },
  },
  'leases-taken-over': {
    what: 'invocations of evict are killed before they end their leases, and a webhook keeps the pods',
    within: 15,
    begin(life) {
      const { table } = life;
      const { write } = table;
      table.write = async (one) =>
        one.kind === 'Update' && one.change.remove?.includes('leaseUntil') === true
          ? { kind: 'Written', row: (await table.get(one.key)) ?? { ...one.key } }
          : write(one);
      const goOn = answerDeletes(life, { kind: 'RetryLater', after: 1000, why: 'a webhook is slow', status: 429 });
      return () => {
        table.write = write;
        goOn();
      };
    },
  },
  'intents-open': {
    what: 'the API server does not answer a DELETE, and the pod is not deleted',
    within: 15,
    begin: (life) => answerDeletes(life, { kind: 'RetryLater', after: 1000, why: 'no answer within 5 s' }),
  },
  'objects-outstanding': {
    what: 'the watcher lists a class and never sends it',
    within: 30,
    begin(life) {
      const entries = [{ key: 'never-sent', uid: 'uid-never-sent', resourceVersion: '2000' }];
      life.account.send(ingestQueue(life), { body: manifestOf({ resourceVersion: '2000', entries }) });
      return () => life.account.send(ingestQueue(life), { body: manifestOf({ resourceVersion: '2001', entries: [] }) });
    },
  },
  'mirror-drift': {
    what: 'the watcher sends classes that its next round does not have',
    within: 45,
    begin(life) {
      const queue = ingestQueue(life);
      for (const round of [0, 1, 2, 3]) {
        const resourceVersion = String(100_000 + 10 * round);
        for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) {
          const body = formatMessage({
            ...upserted({ ...aClass(name, []), uid: `uid-${name}-${round}`, resourceVersion }),
            incarnation: liveIncarnation,
          });
          life.account.send(queue, { body, delaySeconds: round * 600 });
        }
        const body = manifestOf({ resourceVersion: String(100_005 + 10 * round), entries: [] });
        life.account.send(queue, { body, delaySeconds: round * 600 + 60 });
      }
      return () => {};
    },
  },
  'table-throttled': {
    what: 'DynamoDB throttles',
    within: 10,
    begin(life, alarm) {
      const kind = alarm.metric.name === 'ReadThrottleEvents' ? 'reads' : 'writes';
      life.faults.throttled[kind] = true;
      return () => {
        life.faults.throttled[kind] = false;
      };
    },
  },
};

const ingestQueue = (life: Life) => life.queue('Sluice-ingest-prod');

function serverOf(api: Life['api']) {
  const { prod } = api;
  if (!prod) throw new Error('the cluster prod has no API server');
  return prod;
}

/** A manifest of all DeviceClasses of the cluster. */
function manifestOf({ resourceVersion, entries }: Pick<Manifest, 'resourceVersion' | 'entries'>): string {
  const of = { kind: 'DeviceClass', from: 0, to: 255, resourceVersion, entries } as const;
  return formatMessage({ type: 'Manifest', incarnation: liveIncarnation, ...of });
}

/** Answers every DELETE of a pod with `answer`. */
function answerDeletes(life: Life, answer: ApiFailure): () => void {
  const { evictor } = serverOf(life.api);
  const allowed = evictor.delete;
  evictor.delete = async () => answer;
  return () => {
    evictor.delete = allowed;
  };
}

function dimension({ metric, name: alarm }: WatchedAlarm, name: string): string {
  const value = metric.dimensions[name];
  if (value === undefined) throw new Error(`${alarm} has no dimension ${name}`);
  return value;
}

function queueOf(life: Life, alarm: WatchedAlarm) {
  const name = dimension(alarm, 'QueueName');
  const found = life.queues.find(({ metricNames }) => metricNames.queue === name || metricNames.dead === name);
  if (!found) throw new Error(`no queue for ${alarm.name}`);
  return found;
}

function functionOf(life: Life, alarm: WatchedAlarm): { actor: Actor; target: Life['functions'][Actor] } {
  const name = dimension(alarm, 'FunctionName');
  const actor = actors.find((one) => life.functions[one].metricName === name);
  if (!actor) throw new Error(`no function for ${alarm.name}`);
  return { actor, target: life.functions[actor] };
}
