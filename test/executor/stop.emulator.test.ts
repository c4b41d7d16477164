// An EvictionStop in an outbound cluster while AWS is unreachable: the executor stops within a second, and continues later.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDynamoDbTable } from '../../lib/adapters/dynamodb/dynamoDbTable.ts';
import { createApiClient } from '../../lib/adapters/kubernetes/apiClient.ts';
import { createLiveCluster } from '../../lib/adapters/kubernetes/liveCluster.ts';
import { createSqsQueues } from '../../lib/adapters/sqs/queues.ts';
import { type LocalSqs, startLocalSqs } from '../../lib/local/aws/queues.ts';
import { deviceTaintRule } from '../../lib/local/cluster/builders.ts';
import { createApiClient as createUserClient } from '../../lib/local/cluster/client.ts';
import { type Cluster, startCluster } from '../../lib/local/cluster/cluster.ts';
import { createMemory } from '../../lib/memory.ts';
import { type ClusterId, clusterIdOf } from '../../lib/model/identity.ts';
import type { ObjectKind } from '../../lib/model/projection.ts';
import { upstreamSettings } from '../../lib/model/snapshot.ts';
import { stopCommand } from '../../lib/model/stop.ts';
import { ingest } from '../../lib/stages/ingest/index.ts';
import { sweep } from '../../lib/stages/sweep/index.ts';
import type { StepDependencies } from '../../lib/steps/step.ts';
import { type ExecutorProcess, startExecutorProcess } from '../cluster/support/executorProcess.ts';
import { createAll, remove } from '../cluster/support/objects.ts';
import { createUser, driver } from '../cluster/support/users.ts';
import { waitFor } from '../cluster/support/waitFor.ts';
import { quiet, tokenOf } from '../support/clusterUnderTest.ts';
import { type EmulatedTable, startTable } from '../support/emulators.ts';
import { aHeartbeat, upserted } from '../support/objects.ts';
import { type Cut, startTunnel, type Tunnel } from './support/tunnel.ts';

const name = 'inside';
const pods = Array.from({ length: 60 }, (_, i) => `p${String(i).padStart(2, '0')}`);
const taint = { key: 'example.com/bad', effect: 'NoExecute' };
const annotations = { 'sluice.dev/evictions-per-second': '10', 'sluice.dev/burst': '1' };
const rule = {
  ...deviceTaintRule({ name: 'bad', deviceSelector: { driver }, taint }),
  metadata: { name: 'bad', annotations },
};
const clock = { now: Date.now, sleep: (milliseconds: number) => new Promise<void>((r) => setTimeout(r, milliseconds)) };
/** The object that the help text of each eviction Event pipes into kubectl. */
const stop = JSON.parse(/echo '(.*)' \|/.exec(stopCommand)?.[1] ?? '');

describe('an EvictionStop in an outbound cluster whose executor cannot reach AWS', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-outbound-'));
  let cluster: Cluster;
  let user: ReturnType<typeof createUserClient>;
  let client: ReturnType<typeof createApiClient>;
  let sqs: LocalSqs;
  let emulated: EmulatedTable;
  let tunnels: { readonly queues: Tunnel; readonly table: Tunnel };
  let deps: StepDependencies;
  let executor: ExecutorProcess;
  let id: ClusterId;

  /** The change that the watcher would send for an object. */
  const told = async (kind: ObjectKind, key: string) => {
    const found = await createLiveCluster(client).read(kind, key);
    if (found.kind !== 'Found') throw new Error(`${kind} ${key}: ${JSON.stringify(found)}`);
    return upserted(found.object);
  };

  beforeAll(async () => {
    cluster = await startCluster();
    const { url, ca, token } = cluster;
    user = createUserClient({ url, ca, token, userAgent: 'a-person' });
    client = createApiClient({ endpoint: url, certificateAuthority: ca }, tokenOf(token));
    sqs = await startLocalSqs();
    emulated = await startTable('Sluice-State');
    tunnels = { queues: await startTunnel(sqs.endpoint), table: await startTunnel(emulated.endpoint) };
    const names = [
      'evaluate',
      'evict',
      'report',
      ...['ingest', 'resend', 'evict', 'report'].map((one) => `${one}-${name}`),
    ];
    const made = await sqs.createQueues(
      names.map((one) => ({ logicalId: one, name: one, visibilityTimeout: 30, attributes: {} })),
    );
    const urlOf = (queue: string) => made.get(queue)?.url ?? '';
    const urls = { evaluate: urlOf('evaluate'), evict: urlOf('evict'), report: urlOf('report') };
    deps = {
      clock,
      table: createDynamoDbTable(emulated.documents, emulated.tableName),
      queues: createSqsQueues(sqs.client, { ...urls, outbound: new Set([name]) }, clock),
      metrics: { add: () => {} },
      log: quiet,
      modesOf: () => ({ native: 'own', paced: 'own' }),
      limitOf: () => undefined,
      settings: upstreamSettings,
      recordDays: 90,
      memory: createMemory(),
    };
    const incarnation = await createLiveCluster(client).incarnation();
    id = clusterIdOf(name, incarnation.kind === 'Found' ? incarnation.incarnation : undefined);
    for (const one of pods) await createUser({ client: user }, { name: one });
    await createAll(user, [rule]);
    await ingest(deps, id, [aHeartbeat(Date.now()), await told('DeviceTaintRule', 'bad')]);
    // Pods are sent one by one, so that ingest evaluates each itself: no stage reads the evaluate queue here.
    for (const one of pods) {
      const key = `default/${one}`;
      await ingest(deps, id, [await told('ResourceClaim', key), await told('Pod', key)]);
    }
    executor = await startExecutorProcess({
      controlPlane: { url, ca, folder },
      token,
      cluster: name,
      urls,
      tableName: emulated.tableName,
      endpoint: tunnels.table.endpoint,
      sqsEndpoint: tunnels.queues.endpoint,
    });
    await executor.untilReady();
  });
  afterAll(async () => {
    await executor?.stop();
    for (const tunnel of Object.values(tunnels ?? {})) await tunnel.stop();
    await emulated?.stop();
    await sqs?.stop();
    client?.close();
    user?.close();
    await cluster?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const answered = (verb: string, resource: string) =>
    cluster.calls.filter((call) => call.verb === verb && call.resource === resource && call.status < 300);
  const deletes = () => answered('delete', 'pods');

  let minutes = 0;
  /** Runs the sweep of the next minute. */
  const sweepNext = async () => {
    minutes++;
    await ingest(deps, id, [aHeartbeat(Date.now())]);
    await sweep({ ...deps, clock: { ...clock, now: () => Date.now() + minutes * 60_000 } }, id);
  };

  it.each<[string, Cut, readonly (keyof typeof tunnels)[]]>([
    ['the queues close their connections', 'closes', ['queues']],
    ['the queues and the table are silent', 'is silent', ['queues', 'table']],
  ])(
    'no DELETE is received later than a second after an EvictionStop was accepted: %s',
    async (_, how, away) => {
      const before = deletes().length;
      await waitFor(async () => (deletes().length >= before + 5 ? true : undefined), 60_000).catch(executor.failed);
      for (const one of away) tunnels[one].cut(how);
      await createAll(user, [stop]);
      const accepted = answered('create', 'evictionstops').at(-1)?.answeredAt ?? Number.NaN;
      await clock.sleep(4000);
      expect(Math.max(...deletes().map(({ receivedAt }) => receivedAt - accepted))).toBeLessThan(1000);
      expect(deletes().length).toBeLessThan(pods.length);
      await remove(user, stop);
      for (const one of away) tunnels[one].repair();
      await sweepNext();
    },
    90_000,
  );

  it('evictions continue once the EvictionStop is deleted and AWS is reachable, and each pod is evicted once', async () => {
    await sweepNext();
    await waitFor(async () => (deletes().length >= pods.length ? true : undefined), 60_000).catch(executor.failed);
    const evicted = deletes().map((call) => call.name);
    expect(evicted.toSorted()).toEqual(pods);
  });
});
