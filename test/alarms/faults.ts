// For each entry of the runbook: what is done to an installation, and how it is undone.
import { formatMessage } from '../../lib/adapters/sqs/wire.ts';
import type { RunbookEntry } from '../../lib/config/runbookEntries.ts';
import { liveIncarnation } from '../support/fakes/liveCluster.ts';
import { aHeartbeat } from '../support/objects.ts';
import { type Actor, actors } from './installation.ts';
import type { Life } from './life.ts';
import { startWithoutEnvironment } from './life.ts';
import type { WatchedAlarm } from './watchedAlarm.ts';

export interface Fault {
  readonly what: string;
  /** Minutes within which the alarm has to ring. */
  readonly within: number;
  /** Returns what undoes it. */
  begin(life: Life, alarm: WatchedAlarm): () => void;
}

export const faults: Readonly<Record<RunbookEntry, Fault>> = {
  'messages-wait': {
    what: 'nothing takes messages from the queue',
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
    begin(life, alarm) {
      life.account.send(life.queue(dimension(alarm, 'cluster')), { body: '{"version":99}' });
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
  'function-throttles': {
    what: 'the account has no concurrency left for the function',
    within: 10,
    begin(life, alarm) {
      const { target } = functionOf(life, alarm);
      target.throttled = true;
      return () => {
        target.throttled = false;
      };
    },
  },
  'recursion-stopped': {
    what: 'a pipe of someone else gives the function everything again',
    within: 5,
    begin(life, alarm) {
      const { target } = functionOf(life, alarm);
      target.echo = true;
      return () => {
        target.echo = false;
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
    what: 'the watcher has ended',
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
    begin({ api }, alarm) {
      const server = api[dimension(alarm, 'cluster')];
      if (!server) throw new Error(`no API server for ${alarm.name}`);
      const allowed = server.evictor.delete;
      server.evictor.delete = async () => ({ kind: 'Refused', why: 'pods is forbidden: cannot delete' });
      return () => {
        server.evictor.delete = allowed;
      };
    },
  },
  'clusters-under-one-name': {
    what: 'the watcher of another cluster sends to the queue of this one',
    within: 5,
    begin(life, alarm) {
      const other = { ...aHeartbeat(life.account.now()), incarnation: 'uid-of-another' };
      life.account.send(ingestQueue(life, alarm), { body: formatMessage(other) });
      return () => {};
    },
  },
  'revision-went-back': {
    what: 'etcd is restored, and the next rounds of a kind are below its watermark',
    within: 15,
    begin(life, alarm) {
      const queue = ingestQueue(life, alarm);
      for (const [minute, resourceVersion] of [
        [0, '1000'],
        [1, '500'],
        [10, '510'],
      ] as const)
        life.account.send(queue, { body: manifestAt(resourceVersion), delaySeconds: minute * 60 });
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

function ingestQueue(life: Life, alarm: WatchedAlarm) {
  return life.queue(`Sluice-ingest-${dimension(alarm, 'cluster')}`);
}

function manifestAt(resourceVersion: string): string {
  const of = { kind: 'DeviceClass', from: 0, to: 255, resourceVersion, entries: [] };
  return formatMessage({ type: 'Manifest', incarnation: liveIncarnation, ...of });
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
