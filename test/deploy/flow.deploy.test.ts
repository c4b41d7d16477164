// The deployed stack at work: the emulator's own event source mappings and schedule drive the deployed functions.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { MetricAlarm } from '@aws-sdk/client-cloudwatch';
import { ListEventSourceMappingsCommand, UpdateEventSourceMappingCommand } from '@aws-sdk/client-lambda';
import {
  DeleteMessageCommand,
  PurgeQueueCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatMessage } from '../../lib/adapters/sqs/wire.ts';
import { listAt } from '../../lib/local/cluster/object.ts';
import { nextState } from '../alarms/evaluate.ts';
import { createMetricStore } from '../alarms/metricStore.ts';
import { pointsOf, watchedAlarm } from '../alarms/watchedAlarm.ts';
import { find } from '../cluster/support/objects.ts';
import { claimOf, createUser, isGoing } from '../cluster/support/users.ts';
import { alarmsOf, isBelow, namesOf } from './support/alarms.ts';
import { type Deployment, deploy, stateOf, until } from './support/deployment.ts';
import { clusterName, drivers } from './support/fleet.ts';
import { targetName, targets } from './support/target.ts';

/** None of them is the default. */
const chosenSettings = {
  nonPodConsumers: true,
  workloadClaims: true,
  emptyEffectTolerates: true,
  extendedResourceClaims: false,
  releaseStaleConsumers: true,
} as const;

const job = { apiGroup: 'batch', resource: 'jobs', name: 'train', uid: 'job-uid' };
const group = { apiGroup: 'scheduling.k8s.io', resource: 'podgroups', name: 'gang', uid: 'gang-uid' };
/** Each pod but the first is decided by one setting; the defaults would decide the opposite for each of them. */
const users = [
  { name: 'plain' },
  { name: 'of-a-job', reservedFor: [job] },
  { name: 'of-a-group', podGroup: 'gang', reservedFor: [group] },
  { name: 'of-an-extended-resource', isExtended: true },
  { name: 'tolerates-without-an-effect', tolerations: [{ operator: 'Exists' }] },
];
/** Its consumer is of a kind that the API server serves, and does not exist. */
const gone = { apiGroup: 'resource.k8s.io', resource: 'resourceclaims', name: 'gone', uid: 'gone-uid' };
const staleClaim = claimOf('stale');

describe('a deployed installation', () => {
  const target = targets[targetName()];
  let deployment: Deployment;
  const [gpu, tpu, nic] = drivers;

  const podsOf = (driver: string) => deployment.fleet.pods.filter((pod) => pod.driver === driver);
  const deletesOf = (driver: string) => {
    const uids = new Set(podsOf(driver).map((pod) => pod.uid));
    return deployment.fleet.deletes().filter((call) => uids.has(call.uid));
  };
  const urlOf = (output: string) => {
    const url = deployment.outputs[output];
    if (url === undefined) throw new Error(`no output ${output}; there are ${Object.keys(deployment.outputs)}`);
    return url;
  };

  beforeAll(async () => {
    deployment = await deploy({
      enforceIam: false,
      size: { nodes: 8, pods: 96 },
      limits: { maxReceiveCount: 3 },
      settings: chosenSettings,
    });
  });
  afterAll(async () => {
    await deployment?.stop();
  });

  it('a deployed installation evicts the pod of a tainted device and reports it on the rule', async () => {
    const { fleet } = deployment;
    const [{ pool = '', device = '', uid = '' } = {}] = podsOf(gpu);
    await fleet.taint({ name: 'one', selector: { driver: gpu, pool, device } });
    await until('the pod is deleted', () => deletesOf(gpu).length > 0, { seen: () => deployment.watcherLog.slice(-5) });
    await until('the rule says that it is done', async () => (await fleet.condition('one')).startsWith('False'), {
      seen: () => fleet.condition('one'),
    });
    expect(fleet.deletes().map((call) => call.uid)).toEqual([uid]);
  });

  it('a deployed installation evicts as the settings of its sluice.yaml say, none of which is the default', async () => {
    const { fleet } = deployment;
    await createUser(fleet, {
      name: 'stale',
      pool: 'settings',
      reservedFor: [gone],
      tolerations: [{ operator: 'Exists' }],
    });
    // A claim is released once no pod refers to it.
    await fleet.client.call('DELETE', '/api/v1/namespaces/default/pods/stale');
    for (const one of users) await createUser(fleet, { ...one, pool: 'settings' });
    await fleet.taint({ name: 'settings', selector: { driver: gpu, pool: 'settings' } });
    const going = async () => {
      const all = await Promise.all(users.map(async ({ name }) => ((await isGoing(fleet, name)) ? [name] : [])));
      return all.flat();
    };
    await until('three are evicted', async () => (await going()).length >= 3, { seen: going });
    await until('the rule says that it is done', async () => (await fleet.condition('settings')).startsWith('False'), {
      seen: () => fleet.condition('settings'),
    });
    expect(await going()).toEqual(['plain', 'of-a-job', 'of-a-group']);
  });

  it('pods stay pending after a purge of the evict queue', async () => {
    const { cloud, fleet, outputs } = deployment;
    const { EventSourceMappings: mappings = [] } = await cloud.lambda.send(
      new ListEventSourceMappingsCommand({ FunctionName: outputs.EvictFunctionName }),
    );
    const enable = async (Enabled: boolean) => {
      for (const { UUID } of mappings) await cloud.lambda.send(new UpdateEventSourceMappingCommand({ UUID, Enabled }));
    };
    await enable(false);
    await fleet.taint({ name: 'lost', selector: { driver: nic }, perSecond: 20, burst: 1 });
    await until('the limiter waits for its evictor', async () => (await cloud.depth(urlOf('EvictQueueUrl'))) > 0);
    await cloud.sqs.send(new PurgeQueueCommand({ QueueUrl: urlOf('EvictQueueUrl') }));
    await enable(true);
    expect(deletesOf(nic).length).toBeLessThan(podsOf(nic).length);
  });

  it('a message that cannot be read is dropped, logged and counted', async () => {
    const { cloud, outputs } = deployment;
    const send = { QueueUrl: urlOf('IngestQueueUrlLocal'), MessageBody: '{"version":99,"type":"Upserted"}' };
    await cloud.sqs.send(new SendMessageCommand(send));
    const lines = () => cloud.logsOf(outputs.IngestFunctionName ?? '');
    await until('it is logged', async () => (await lines()).some((line) => line.includes('poison message dropped')));
    const said = (await lines()).filter((line) => line.includes('poison') || line.includes('MessagesPoison'));
    expect(said.find((line) => line.includes('dropped'))).toContain('message version 99');
    expect(said.find((line) => line.includes('_aws'))).toMatch(/"cluster":"Sluice-ingest-local".*"MessagesPoison":1/);
    expect(await cloud.depth(urlOf('IngestQueueDeadLettersUrlLocal'))).toBe(0);
  });

  it('the alarm of poison messages is raised by what the deployed function wrote', async () => {
    const { cloud, outputs } = deployment;
    const metrics = createMetricStore();
    for (const line of await cloud.logsOf(outputs.IngestFunctionName ?? '')) metrics.putLine(line);
    const all = await alarmsOf(cloud.cloudWatch, target).all();
    const ringing = all
      .filter(({ MetricName }) => MetricName === 'MessagesPoison')
      .flatMap((deployed) => {
        const dimensions = Object.fromEntries(
          (deployed.Dimensions ?? []).map(({ Name = '', Value = '' }) => [Name, Value]),
        );
        const alarm = watchedAlarm(deployed.AlarmName ?? '', { ...deployed, dimensions });
        const ends = Array.from(
          { length: 5 },
          (_, i) => (Math.floor(Date.now() / alarm.period) + 1 - i) * alarm.period,
        );
        const rang = ends.some((end) => nextState(alarm, pointsOf(metrics, alarm, end), 'OK') === 'ALARM');
        return rang ? [alarm.name] : [];
      });
    expect(ringing).toEqual([expect.stringContaining('MessagesPoison')]);
  });

  it('a message that keeps failing is moved to the dead-letter queue, and is processed after it is sent back', async () => {
    const { cloud, fleet } = deployment;
    const dead = { QueueUrl: urlOf('ReportQueueDeadLettersUrl') };
    const repair = fleet.breakDown('devicetaintrules');
    const body = formatMessage({ cluster: (await stateOf(deployment)).cluster, rule: 'one' });
    // A message that is read while the API server breaks down may still succeed.
    let sentAt = 0;
    const send = async () => {
      if (Date.now() < sentAt + 10_000) return;
      sentAt = Date.now();
      await cloud.sqs.send(new SendMessageCommand({ QueueUrl: urlOf('ReportQueueUrl'), MessageBody: body }));
    };
    // The sweep and each eviction send reports that fail as well: each letter is taken out, or the first ten would hide the others.
    const letters: string[] = [];
    const takeOut = async () => {
      const { Messages = [] } = await cloud.sqs.send(new ReceiveMessageCommand({ ...dead, MaxNumberOfMessages: 10 }));
      for (const { Body = '', ReceiptHandle } of Messages) {
        letters.push(Body);
        await cloud.sqs.send(new DeleteMessageCommand({ ...dead, ReceiptHandle }));
      }
    };
    const isAside = async () => {
      await send();
      await takeOut();
      return letters.includes(body);
    };
    const seen = async () => ({
      letters: [...new Set(letters)],
      depth: await cloud.depth(urlOf('ReportQueueUrl')),
      said: (await cloud.logsOf(deployment.outputs.ReportFunctionName ?? ''))
        .filter((line) => line.startsWith('{') && !line.includes('"_aws"'))
        .slice(-8),
    });
    await until('it is among the dead letters', isAside, { seconds: 120, seen });
    repair();
    let back = 0;
    await until('all are carried out', async () => {
      await takeOut();
      for (; back < letters.length; back++)
        await cloud.sqs.send(new SendMessageCommand({ QueueUrl: urlOf('ReportQueueUrl'), MessageBody: letters[back] }));
      return (await cloud.depth(dead.QueueUrl)) + (await cloud.depth(urlOf('ReportQueueUrl'))) === 0;
    });
    expect(letters.slice(0, back)).toContain(body);
  });

  it('a deployment of other code during an eviction evicts every pod, and none twice', async () => {
    const { fleet, cdk } = deployment;
    const changed = cdk.copySources((folder) => {
      const file = path.join(folder, 'lib', 'adapters', 'kubernetes', 'exchange.ts');
      const text = readFileSync(file, 'utf8');
      writeFileSync(file, text.replace("'user-agent': 'sluice'", "'user-agent': 'sluice-changed'"));
    });
    // Slow until the other code is deployed, however long a busy machine takes for that.
    await fleet.taint({ name: 'all', selector: { driver: tpu }, perSecond: 0.01, burst: 2 });
    const sent = () => deletesOf(tpu).length;
    // One is enough: a token that is lost is not replaced for long at this rate.
    await until('the eviction has begun', () => sent() > 0, { seen: sent });
    await changed.deploy();
    await fleet.changeRate('all', 2);
    const all = podsOf(tpu).length;
    await until('all are deleted', () => sent() >= all, { seconds: 100, seen: sent });
    const calls = deletesOf(tpu);
    expect(new Set(calls.map((call) => call.userAgent))).toEqual(new Set(['sluice', 'sluice-changed']));
    expect(new Set(calls.map((call) => call.uid)).size).toBe(calls.length);
    expect(await changed.diff()).toBe(0);
  });

  it('the schedule of the sweep makes up for lost messages', async () => {
    const all = podsOf(nic).length;
    await until('the sweep has them deleted', () => deletesOf(nic).length >= all, {
      seconds: 100,
      seen: () => deletesOf(nic).length,
    });
    expect(new Set(deletesOf(nic).map((call) => call.uid)).size).toBe(deletesOf(nic).length);
  });

  it('a deployed installation releases a claim whose consumer is gone, as releaseStaleConsumers says', async () => {
    const reserved = async () => listAt(await find(deployment.fleet.client, staleClaim), 'status', 'reservedFor') ?? [];
    await until('its reservation is removed', async () => (await reserved()).length === 0, {
      seconds: 130,
      seen: reserved,
    });
  });

  it('every alarm is raised when its metric crosses the threshold, and not before', async () => {
    const alarms = alarmsOf(deployment.cloud.cloudWatch, target);
    const timeout = 60_000 * target.patience;
    // Metrics of real calls count by themselves; that the sweep is silent, for example, cannot be reported by hand.
    // Nor can missing data be reported by hand: test/alarms covers a silent watcher.
    const isByHand = (alarm: MetricAlarm) =>
      alarm.Statistic !== 'SampleCount' && (!target.hasServiceMetrics || !alarm.Namespace?.startsWith('AWS/'));
    const all = await alarms.all();
    expect(all.length).toBeGreaterThan(20);
    await alarms.report(() => 0);
    const low = namesOf(all.filter((alarm) => isBelow(alarm) && isByHand(alarm)));
    const byHand = new Set(namesOf(all.filter(isByHand)));
    const ringing = async () => (await alarms.ringing()).filter((name) => byHand.has(name));
    await expect.poll(ringing, { timeout }).toEqual(low);
    await alarms.report((alarm) => 2 * (alarm.Threshold ?? 0));
    const high = namesOf(all.filter((alarm) => !isBelow(alarm)));
    await expect.poll(alarms.ringing, { timeout }).toEqual(high);
  });

  it('the CDK app refuses to remove the deployed cluster', async () => {
    const { cdk } = deployment;
    const clusters = [{ name: 'other', endpoint: 'https://127.0.0.3:6443', auth: { kind: 'outbound' as const } }];
    const refused = await cdk.synth({ clusters });
    expect(refused.said).toContain(`this removes from the deployed stack Sluice: cluster ${clusterName}`);
    expect(refused.status).not.toBe(0);
  });

  it('`cdk destroy` leaves nothing of the stack behind', async () => {
    await deployment.cdk.destroy();
    const { logGroups = [], ...left } = await deployment.cloud.inventory();
    const { logGroups: before = [], ...others } = deployment.before;
    expect(left).toEqual(others);
    // The emulator makes a group again for a line that a function writes after its deletion; in AWS its role may not.
    expect(logGroups.length - before.length).toBeLessThanOrEqual(2);
  });
});
