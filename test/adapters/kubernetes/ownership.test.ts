// An in-tree controller is found by its conditions and its Events; if in doubt, it is assumed to be active.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ApiClient, createApiClient } from '../../../lib/adapters/kubernetes/apiClient.ts';
import { findInTreeController } from '../../../lib/adapters/kubernetes/ownership.ts';
import { deviceTaintRule } from '../../../lib/local/cluster/builders.ts';
import { createApiClient as createUser } from '../../../lib/local/cluster/client.ts';
import { type Cluster, startCluster } from '../../../lib/local/cluster/cluster.ts';
import { tokenOf } from '../../support/clusterUnderTest.ts';

const rules = '/apis/resource.k8s.io/v1/devicetaintrules';
const inTree = 'device-taint-eviction-controller';
const now = Date.now();
const minutesAgo = (minutes: number) => `${new Date(now - minutes * 60_000).toISOString().slice(0, 19)}Z`;

let cluster: Cluster;
let client: ApiClient;
let user: ReturnType<typeof createUser>;
beforeEach(async () => {
  // Objects of the cluster are as old as the Events say.
  cluster = await startCluster({ now: () => now - 24 * 3_600_000 });
  client = createApiClient({ endpoint: cluster.url, certificateAuthority: cluster.ca }, tokenOf(cluster.token));
  user = createUser(cluster);
});
afterEach(async () => {
  user.close();
  client.close();
  await cluster.close();
});

async function addRule(name: string): Promise<void> {
  const body = deviceTaintRule({ name, taint: { key: 'example.com/bad', effect: 'None' } });
  expect((await user.call('POST', rules, { body })).status).toBe(201);
}

async function writeCondition(name: string, manager: string): Promise<void> {
  const condition = {
    type: 'EvictionInProgress',
    status: 'False',
    reason: 'NoEffect',
    message: '',
    lastTransitionTime: minutesAgo(600),
  };
  const body = {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'DeviceTaintRule',
    metadata: { name },
    status: { conditions: [condition] },
  };
  const answer = await user.call('PATCH', `${rules}/${name}/status?fieldManager=${manager}&force=true`, {
    body,
    contentType: 'application/apply-patch+yaml',
  });
  expect(answer.status).toBe(200);
}

async function addEvent(over: object): Promise<void> {
  const body = {
    metadata: { name: `e-${Math.random()}`, namespace: 'default' },
    involvedObject: { kind: 'Pod', namespace: 'default', name: 'trainer', uid: 'u' },
    type: 'Normal',
    reason: 'DeviceTaintManagerEviction',
    message: 'Marking for deletion',
    ...over,
  };
  expect((await user.call('POST', '/api/v1/namespaces/default/events', { body })).status).toBe(201);
}

describe('an in-tree controller', () => {
  it('an in-tree controller is not seen if there are neither rules nor Events', async () => {
    expect(await findInTreeController(client, now)).toEqual({ kind: 'NotSeen' });
  });

  it('an in-tree controller is active if it manages the conditions of a rule, even of the last of many', async () => {
    for (const name of ['a', 'b', 'c']) await addRule(name);
    await writeCondition('c', inTree);
    const found = await findInTreeController(client, now);
    expect(found).toEqual({ kind: 'Active', evidence: 'it manages the conditions of DeviceTaintRule c' });
  });

  it('Sluice’s own conditions are no sign of an in-tree controller', async () => {
    await addRule('a');
    await writeCondition('a', 'sluice');
    expect(await findInTreeController(client, now)).toEqual({ kind: 'NotSeen' });
  });

  it.each([
    ['its source', { source: { component: inTree }, lastTimestamp: minutesAgo(5) }],
    ['its reporting component', { reportingComponent: inTree, lastTimestamp: minutesAgo(59) }],
    [
      'a series that continues',
      {
        reportingComponent: inTree,
        firstTimestamp: minutesAgo(300),
        series: { count: 2, lastObservedTime: minutesAgo(1) },
      },
    ],
  ])('a fresh Event is a sign of an active in-tree controller: %s', async (_, event) => {
    await addEvent(event);
    expect(await findInTreeController(client, now)).toMatchObject({
      kind: 'Active',
      evidence: expect.stringContaining('pod default/trainer'),
    });
  });

  it.each([
    ['older than an hour', { source: { component: inTree }, lastTimestamp: minutesAgo(61) }],
    ['of Sluice', { source: { component: 'sluice' }, reportingComponent: 'sluice', lastTimestamp: minutesAgo(1) }],
    [
      'of the same component for another reason',
      { source: { component: inTree }, reason: 'Started', lastTimestamp: minutesAgo(1) },
    ],
  ])('an Event %s is no sign of an in-tree controller', async (_, event) => {
    await addEvent(event);
    expect(await findInTreeController(client, now)).toEqual({ kind: 'NotSeen' });
  });

  it.each([403, 500] as const)(
    'an in-tree controller is unknown, never absent, if the API server answers %i',
    async (status) => {
      cluster.faults.add({ status, when: ({ request }) => request.resource.plural === 'devicetaintrules' });
      expect(await findInTreeController(client, now)).toMatchObject({
        kind: 'Unknown',
        why: expect.stringContaining(`${status}`),
      });
      cluster.faults.clear();
      cluster.faults.add({ status, when: ({ request }) => request.resource.plural === 'events' });
      expect((await findInTreeController(client, now)).kind).toBe('Unknown');
    },
  );
});
