// The watcher detects an in-tree controller: by conditions that only it writes, by the pods it marks, and by a probe.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ApiClient, createApiClient } from '../../lib/adapters/kubernetes/apiClient.ts';
import { inTreeTraceOf } from '../../lib/adapters/kubernetes/inTreeTrace.ts';
import { deviceTaintRule } from '../../lib/local/cluster/builders.ts';
import { createApiClient as createUser } from '../../lib/local/cluster/client.ts';
import { type Cluster, startCluster } from '../../lib/local/cluster/cluster.ts';
import { listAt, textAt } from '../../lib/local/cluster/object.ts';
import { createInTreeTraces } from '../../lib/watcher/inTreeTraces.ts';
import { tokenOf } from '../support/clusterUnderTest.ts';
import { eventually, type Followed, follow } from './follow.ts';

const at = '2026-11-21T10:00:00Z';
const quiet = { info: () => {}, warn: () => {}, error: () => {} };
const rule = (manager: string, fields: object, time: string | undefined = at) => ({
  metadata: { name: 'bad', managedFields: [{ manager, time, fieldsV1: { 'f:status': fields } }] },
});
const inTree = 'device-taint-eviction-controller';
const mark = {
  type: 'DisruptionTarget',
  status: 'True',
  reason: 'DeletionByDeviceTaintManager',
  lastTransitionTime: at,
};
const pod = (...conditions: readonly object[]) => ({
  metadata: { namespace: 'team', name: 'a' },
  status: { conditions },
});

describe('traces of the in-tree controller', () => {
  it.each([
    ['conditions of its manager', 'DeviceTaintRule', rule(inTree, { 'f:conditions': {} }), 'of DeviceTaintRule bad'],
    ['a pod that it marked', 'Pod', pod(mark), 'it marked pod team/a'],
  ] as const)('a trace of the in-tree controller is %s', (_, kind, object, evidence) => {
    expect(inTreeTraceOf(kind, object)).toEqual({ at: Date.parse(at), evidence: expect.stringContaining(evidence) });
  });

  it.each([
    ['conditions of another manager', 'DeviceTaintRule', rule('sluice', { 'f:conditions': {} })],
    ['another field of its manager', 'DeviceTaintRule', rule(inTree, { 'f:other': {} })],
    ['a pod that Sluice marked', 'Pod', pod(mark, { type: 'sluice.dev/EvictionDue', status: 'True' })],
    ['a pod that was evicted', 'Pod', pod({ ...mark, reason: 'EvictionByEvictionAPI' })],
    ['a mark that was withdrawn', 'Pod', pod({ ...mark, status: 'False' })],
    ['a marked object of another kind', 'ResourceClaim', pod(mark)],
    ['no object', 'Pod', null],
  ] as const)('a trace of the in-tree controller is not %s', (_, kind, object) => {
    expect(inTreeTraceOf(kind, object)).toBeUndefined();
  });

  it('a trace without a time counts as the oldest possible', () => {
    const { metadata } = rule(inTree, { 'f:conditions': {} });
    const object = {
      metadata: { ...metadata, managedFields: metadata.managedFields.map(({ time: _, ...rest }) => rest) },
    };
    expect(inTreeTraceOf('DeviceTaintRule', object)).toMatchObject({ at: 0 });
  });

  it('a trace is kept until there is a newer one', () => {
    const traces = createInTreeTraces(quiet);
    for (const [seconds, evidence] of [
      [2, 'b'],
      [1, 'a'],
      [2, 'c'],
    ] as const)
      traces.note({ at: seconds, evidence });
    expect(traces.newest).toEqual({ at: 2, evidence: 'b' });
    traces.note({ at: 3, evidence: 'd' });
    expect(traces.newest).toEqual({ at: 3, evidence: 'd' });
  });
});

describe('a cluster with an in-tree controller', () => {
  let cluster: Cluster;
  let client: ApiClient;
  let user: ReturnType<typeof createUser>;
  let followed: Followed | undefined;
  beforeEach(async () => {
    cluster = await startCluster();
    client = createApiClient({ endpoint: cluster.url, certificateAuthority: cluster.ca }, tokenOf(cluster.token));
    user = createUser(cluster);
  });
  afterEach(async () => {
    await followed?.stop();
    user.close();
    client.close();
    await cluster.close();
  });
  const told = () => followed?.changes().flatMap((one) => (one.type === 'Heartbeat' && one.inTree ? [one.inTree] : []));
  async function writeCondition(name: string): Promise<void> {
    const condition = { type: 'EvictionInProgress', status: 'False', reason: 'NoEffect', message: '' };
    const conditions = [{ ...condition, lastTransitionTime: '2026-01-01T00:00:00Z' }];
    const body = {
      apiVersion: 'resource.k8s.io/v1',
      kind: 'DeviceTaintRule',
      metadata: { name },
      status: { conditions },
    };
    const path = `/apis/resource.k8s.io/v1/devicetaintrules/${name}/status?fieldManager=${inTree}&force=true`;
    const contentType = 'application/apply-patch+yaml';
    expect((await user.call('PATCH', path, { body, contentType })).status).toBe(200);
  }

  it('heartbeats report an in-tree controller once it writes a condition, also on a rule that Sluice projected', async () => {
    followed = follow(client);
    const labels = { 'sluice.dev/projected-from': 'some-uid' };
    const taint = { key: 'example.com/bad', effect: 'NoSchedule' } as const;
    const projected = deviceTaintRule({ name: 'projected', deviceSelector: { driver: 'a.example.com' }, taint });
    const body = { ...projected, metadata: { name: 'projected', labels } };
    await user.call('POST', '/apis/resource.k8s.io/v1/devicetaintrules', { body });
    const { heartbeats } = followed;
    await eventually(() => expect(heartbeats()).toBeGreaterThan(1));
    expect(told()).toEqual([]);
    await writeCondition('projected');
    await eventually(() => expect(told()?.length).toBeGreaterThan(1));
    expect(told()?.[0]?.evidence).toBe('it manages the conditions of DeviceTaintRule projected');
    expect(followed.names('Upserted')).not.toContain('projected');
  });

  it('an in-tree controller without a trace is detected by a probe when probes are enabled', async () => {
    followed = follow(client, { probes: true });
    const probes = async () => {
      const { body } = await user.call('GET', '/apis/resource.k8s.io/v1/devicetaintrules');
      return listAt(body as never, 'items').flatMap((item) => textAt(item as never, 'metadata', 'name') ?? []);
    };
    await expect.poll(probes, { timeout: 60_000 }).toHaveLength(1);
    await writeCondition((await probes())[0] ?? '');
    await eventually(() => expect(told()?.length).toBeGreaterThan(0));
    expect(followed.logged.join()).toContain('traces of an in-tree');
    await expect.poll(probes, { timeout: 60_000 }).toEqual([]);
  });

  it('an in-tree controller counts as seen when the watcher is not allowed to create its probe', async () => {
    const forbidden: ApiClient = {
      ...client,
      send: async (request) =>
        request.method === 'POST'
          ? { kind: 'Answer', status: 403, body: { kind: 'Status', message: 'may not' } }
          : client.send(request),
    };
    followed = follow(forbidden, { probes: true });
    await eventually(() => expect(told()?.[0]?.evidence).toMatch(/it is unknown whether it acts: .*probesOwner=true/));
  });

  it('a watcher that ends deletes its probe', async () => {
    followed = follow(client, { probes: true });
    const count = async () => {
      const { body } = await user.call('GET', '/apis/resource.k8s.io/v1/devicetaintrules');
      return listAt(body as never, 'items').length;
    };
    await expect.poll(count, { timeout: 60_000 }).toBe(1);
    const abandoned = followed;
    followed = undefined;
    await abandoned.ended();
    expect(await count()).toBe(0);
  });
});
