// Sluice is switched off during evictions and on again, while messages of earlier and later versions arrive: nothing is lost, repeated or replayed.
import path from 'node:path';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  deviceClass,
  namespace,
  node,
  pod,
  resourceClaimTemplate,
  resourceSlice,
} from '../../lib/local/cluster/builders.ts';
import { isMap, listAt, textAt } from '../../lib/local/cluster/object.ts';
import { type FakeKubelet, startFakeKubelet } from '../../lib/local/fakeKubelet.ts';
import type { Started } from '../../lib/local/start.ts';
import { incarnationOf } from '../../lib/model/identity.ts';
import { allOwned, type Modes } from '../../lib/model/ownership.ts';
import { countListed } from '../../lib/state/listedCounts.ts';
import { readHeartbeat } from '../../lib/state/liveness.ts';
import { readModePlan, switchModes } from '../../lib/state/modeRows.ts';
import { readRecord } from '../../lib/state/readRecord.ts';
import { readTally } from '../../lib/state/recordRows.ts';
import { readLimiters } from '../support/limiters.ts';
import { type ControlPlane, startControlPlane } from './support/controlPlane.ts';
import { applyYaml, createAll, find } from './support/objects.ts';
import { explainFailures, startSluice } from './support/sluice.ts';
import { waitFor } from './support/waitFor.ts';

const gpu = 'gpu.example.com';
const team = 'team';
const crds = path.join(import.meta.dirname, '..', '..', 'deploy', 'chart', 'crds');
const names = ['a', 'b', 'c', 'd', 'e', 'f'];
const aPod = (name: string) => pod({ name, namespace: team, graceSeconds: 1, template: 'one-gpu' });
const taint = { key: 'example.com/unhealthy', effect: 'NoExecute', evictionsPerSecond: 0.2, burst: 1 };
const rule = {
  apiVersion: 'sluice.dev/v1alpha1',
  kind: 'PacedTaintRule',
  metadata: { name: 'unhealthy' },
  spec: { deviceSelector: { driver: gpu }, taints: [taint] },
};

describe('a cluster that is switched from own to off and back', () => {
  let controlPlane: ControlPlane;
  let kubelet: FakeKubelet;
  let sluice: Started;
  let sqs: SQSClient;
  /** UIDs of the first pods, by name. */
  const first = new Map<string, string>();
  const uidOf = async (name: string) => textAt(await find(controlPlane.client, aPod(name)), 'metadata', 'uid');
  const isRunning = async (name: string) =>
    textAt(await find(controlPlane.client, aPod(name)), 'status', 'phase') === 'Running' ? true : undefined;
  /** Those of these UIDs whose pods are gone or terminating. */
  const gone = async (uids: ReadonlyMap<string, string>) => {
    const left = await Promise.all(
      [...uids].map(async ([name, uid]) => {
        const found = await find(controlPlane.client, aPod(name));
        const isSame = textAt(found, 'metadata', 'uid') === uid;
        return isSame && textAt(found, 'metadata', 'deletionTimestamp') === undefined ? [] : [name];
      }),
    );
    return left.flat();
  };
  const send = (queue: string, body: object) =>
    sqs.send(
      new SendMessageCommand({ QueueUrl: sluice.installation.aws.queueUrl(queue), MessageBody: JSON.stringify(body) }),
    );
  const switchTo = async (modes: Partial<Modes>) => {
    await switchModes(await sluice.installation.state(), modes, Date.now());
    await send('Sluice-ingest-local', {
      version: 1,
      type: 'Switched',
      incarnation: incarnationOf((await sluice.installation.state()).cluster),
    });
  };
  const listed = async () => {
    const state = await sluice.installation.state();
    return countListed(state, await readLimiters(state));
  };
  const condition = async (type: string) => {
    const conditions = listAt(await find(controlPlane.client, rule), 'status', 'conditions').filter(isMap);
    return conditions.find((one) => one.type === type);
  };
  const projected = async () => {
    const get = ['get', 'devicetaintrules', '--selector=sluice.dev/projected-from', '--output=name'];
    return (await controlPlane.kubectl(get)).stdout.split('\n').filter((line) => line !== '');
  };
  const cancelled = async (uids: readonly string[]) => {
    const { body } = await controlPlane.client.call('GET', `/api/v1/namespaces/${team}/events`);
    const events = listAt(body, 'items').filter(isMap);
    const told = events.filter((one) => textAt(one, 'message')?.startsWith('Cancelling deletion'));
    return uids.filter((uid) => told.some((one) => textAt(one, 'involvedObject', 'uid') === uid));
  };
  const nextHeartbeats = async (count: number) => {
    for (let i = 0; i < count; i++) {
      const before = (await readHeartbeat(await sluice.installation.state())) ?? 0;
      await waitFor(
        async () => ((await readHeartbeat(await sluice.installation.state())) ?? 0) > before || undefined,
        60_000,
      );
    }
  };

  beforeAll(async () => {
    controlPlane = await startControlPlane({ controllers: ['resourceclaim-controller'] });
    kubelet = startFakeKubelet(controlPlane);
    expect((await controlPlane.kubectl(['apply', '-f', crds])).stderr).toBe('');
    await controlPlane.kubectl(['wait', '--for=condition=Established', '--timeout=30s', '-f', crds]);
    await createAll(controlPlane.client, [
      namespace(team),
      deviceClass(gpu),
      node('node-a'),
      resourceSlice({
        name: 'node-a',
        driver: gpu,
        node: 'node-a',
        devices: [...names, ...names].map((_, i) => ({ name: `device-${i}` })),
      }),
      resourceClaimTemplate({ name: 'one-gpu', namespace: team, deviceClass: gpu }),
      ...names.map(aPod),
    ]);
    for (const name of names) {
      await waitFor(() => isRunning(name), 60_000);
      first.set(name, (await uidOf(name)) ?? '');
    }
    sluice = await startSluice(controlPlane, {
      modes: async () => allOwned,
      projectRules: true,
    });
    const { clientEnvironment } = sluice.installation.aws;
    sqs = new SQSClient({
      region: clientEnvironment.AWS_REGION ?? '',
      endpoint: clientEnvironment.AWS_ENDPOINT_URL_SQS ?? '',
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
      useQueueUrlAsEndpoint: false,
    });
  });
  explainFailures(() => sluice);
  afterAll(async () => {
    sqs?.destroy();
    await sluice?.stop();
    await kubelet?.stop();
    await controlPlane?.stop();
  });

  it('switching to off cancels pending evictions with an Event each, deletes projected rules, and holds the rule', async () => {
    await applyYaml(controlPlane, JSON.stringify(rule));
    await waitFor(async () => ((await gone(first)).length >= 2 ? true : undefined), 60_000);
    expect(await projected()).toHaveLength(1);
    const began = performance.now();
    await switchTo({ paced: 'off' });
    await waitFor(async () => ((await listed()).pods === 0 ? true : undefined), 30_000);
    console.info(`pending evictions cancelled after ${Math.round(performance.now() - began)} ms`);
    await waitFor(async () => ((await projected()).length === 0 ? true : undefined), 30_000);
    await waitFor(
      async () => ((await condition('sluice.dev/Held'))?.reason === 'SluiceOff' ? true : undefined),
      30_000,
    );
    const gonePods = await gone(first);
    const left = [...first].filter(([name]) => !gonePods.includes(name)).map(([, uid]) => uid);
    await waitFor(async () => ((await cancelled(left)).length === left.length ? true : undefined), 30_000);
  });

  it('no message deletes a pod while Sluice is off, neither an earlier one nor one of another version', async () => {
    const before = await gone(first);
    expect(before.length).toBeLessThan(names.length);
    // A new pod takes the name and a device: no native rule keeps it away any more.
    await createAll(controlPlane.client, before.map(aPod));
    for (const name of before) await waitFor(() => isRunning(name), 60_000);
    const successors = new Map<string, string>();
    for (const name of before) successors.set(name, (await uidOf(name)) ?? '');
    const ruleUid = textAt(await find(controlPlane.client, rule), 'metadata', 'uid');
    const limiter = `rule|${ruleUid}|${taint.key}|${taint.effect}`;
    const intents = [...first].map(([name, uid]) => ({ pod: { namespace: team, name, uid }, openedAt: Date.now() }));
    const { cluster } = await sluice.installation.state();
    await send('Sluice-evict', { version: 1, cluster, intents });
    await send('Sluice-evict', { version: 1, cluster, limiter });
    await send('Sluice-evaluate', { version: 1, cluster, pods: names.map((name) => `${team}/${name}`) });
    // An unknown member, and an unknown version.
    await send('Sluice-evict', { version: 1, cluster, limiter, later: true });
    await send('Sluice-evict', { version: 2, cluster, intents });
    await nextHeartbeats(2);
    expect(await gone(first)).toEqual(before);
    expect(await gone(successors)).toEqual([]);
    expect((await listed()).pods).toBe(0);
  });

  it('switching back to own shows the plan before the first delete, and then evicts every pod once', async () => {
    const before = await gone(first);
    const now = new Map<string, string>();
    for (const name of names) now.set(name, (await uidOf(name)) ?? '');
    await switchTo({ paced: 'own' });
    await sluice.installation.aws.fireSchedules();
    const plan = await waitFor(async () => readModePlan(await sluice.installation.state(), 'paced'), 150_000);
    expect(await gone(now)).toEqual([]);
    expect(plan).toMatchObject({ pods: 6, namespaces: 1, origins: [{ origin: 'PacedTaintRule unhealthy', pods: 6 }] });
    await waitFor(async () => ((await gone(now)).length === names.length ? true : undefined), 240_000);
    const uid = textAt(await find(controlPlane.client, rule), 'metadata', 'uid') ?? '';
    const allPods = [...before.map((name) => first.get(name)), ...now.values()];
    await waitFor(async () => {
      const records = await Promise.all(
        allPods.map(async (one) => readRecord(await sluice.installation.state(), one ?? '')),
      );
      return records.every((record) => record?.outcome === 'Evicted') ? true : undefined;
    }, 30_000);
    expect(await readTally(await sluice.installation.state(), uid)).toBe(allPods.length);
    await waitFor(async () => ((await projected()).length === 1 ? true : undefined), 30_000);
    await waitFor(async () => ((await condition('sluice.dev/Held'))?.status === 'False' ? true : undefined), 30_000);
  }, 400_000);
});
