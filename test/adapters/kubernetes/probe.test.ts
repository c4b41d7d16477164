// An in-tree controller that has left no trace answers a probe; if in doubt, it is assumed to be active.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ApiClient, createApiClient } from '../../../lib/adapters/kubernetes/apiClient.ts';
import { detectOwner } from '../../../lib/adapters/kubernetes/detectOwner.ts';
import { deviceTaintRule } from '../../../lib/local/cluster/builders.ts';
import { createApiClient as createUser } from '../../../lib/local/cluster/client.ts';
import { type Cluster, startCluster } from '../../../lib/local/cluster/cluster.ts';
import { listAt, textAt } from '../../../lib/local/cluster/object.ts';
import { tokenOf } from '../../support/clusterUnderTest.ts';

const rules = '/apis/resource.k8s.io/v1/devicetaintrules';
const begin = Date.now();

let cluster: Cluster;
let client: ApiClient;
let user: ReturnType<typeof createUser>;
let now: number;
/** Runs whenever the probe waits. */
let meanwhile: () => Promise<void>;
const clock = {
  now: () => now,
  sleep: async (duration: number) => {
    now += duration;
    await meanwhile();
  },
};
beforeEach(async () => {
  now = begin;
  meanwhile = async () => {};
  cluster = await startCluster({ now: () => now });
  client = createApiClient({ endpoint: cluster.url, certificateAuthority: cluster.ca }, tokenOf(cluster.token));
  user = createUser(cluster);
});
afterEach(async () => {
  user.close();
  client.close();
  await cluster.close();
});

async function names(): Promise<readonly string[]> {
  const { body } = await user.call('GET', rules);
  return listAt(body as never, 'items').flatMap((item) => textAt(item as never, 'metadata', 'name') ?? []);
}

/** As the controller does with every rule that it sees. */
async function writeConditions(manager: string): Promise<void> {
  for (const name of await names()) {
    const condition = { type: 'EvictionInProgress', status: 'False', reason: 'NoEffect', message: '' };
    const conditions = [{ ...condition, lastTransitionTime: '2026-01-01T00:00:00Z' }];
    const body = {
      apiVersion: 'resource.k8s.io/v1',
      kind: 'DeviceTaintRule',
      metadata: { name },
      status: { conditions },
    };
    const path = `${rules}/${name}/status?fieldManager=${manager}&force=true`;
    await user.call('PATCH', path, { body, contentType: 'application/apply-patch+yaml' });
  }
}

describe('a probe', () => {
  it('a probe finds a controller that has had nothing to do so far, and is deleted afterwards', async () => {
    meanwhile = async () => (now - begin > 4000 ? writeConditions('device-taint-eviction-controller') : undefined);
    expect(await detectOwner(client, clock)).toMatchObject({
      kind: 'Active',
      evidence: expect.stringMatching(/^it gave the probe sluice-probe-[0-9a-f]{8} a condition$/),
    });
    expect(await names()).toEqual([]);
  });

  it('a probe without an answer in ten seconds finds no controller, and is deleted afterwards', async () => {
    expect(await detectOwner(client, clock)).toEqual({ kind: 'NotSeen' });
    expect(now - begin).toBe(10_000);
    expect(await names()).toEqual([]);
  });

  it('conditions of another Sluice do not answer a probe', async () => {
    meanwhile = () => writeConditions('sluice');
    expect(await detectOwner(client, clock)).toEqual({ kind: 'NotSeen' });
  });

  it('a probe has effect None, selects no device, and has the label of projected rules', async () => {
    let seen: unknown;
    meanwhile = async () => {
      seen ??= (await user.call('GET', `${rules}/${(await names())[0]}`)).body;
    };
    await detectOwner(client, clock);
    expect(seen).toMatchObject({
      metadata: { labels: { 'sluice.dev/projected-from': 'probe' } },
      spec: { taint: { effect: 'None' }, deviceSelector: { driver: 'probe.sluice.dev', device: 'none' } },
    });
  });

  it('a probe is not needed if the controller has left traces', async () => {
    await user.call('POST', rules, { body: deviceTaintRule({ name: 'a', taint: { key: 'k', effect: 'None' } }) });
    await writeConditions('device-taint-eviction-controller');
    expect(await detectOwner(client, clock)).toMatchObject({
      kind: 'Active',
      evidence: expect.stringContaining('DeviceTaintRule a'),
    });
    expect(now).toBe(begin);
  });

  it.each([
    ['may not be created', 'create'],
    ['may not be read', 'get'],
  ] as const)('a probe that %s leaves the controller unknown', async (_, verb) => {
    cluster.faults.add({
      status: 403,
      when: ({ request }) => request.resource.plural === 'devicetaintrules' && request.verb === verb,
    });
    expect(await detectOwner(client, clock)).toMatchObject({ kind: 'Unknown', why: expect.stringContaining('403') });
    cluster.faults.clear();
    expect(await names()).toEqual([]);
  });

  it('a probe removes probes that other runs left behind, but none that is under way', async () => {
    const old = (name: string, labels: Record<string, string>) => ({
      ...deviceTaintRule({ name, taint: { key: 'k', effect: 'None' } }),
      metadata: { name, labels },
    });
    await user.call('POST', rules, { body: old('left', { 'sluice.dev/projected-from': 'probe' }) });
    await user.call('POST', rules, { body: old('projected', { 'sluice.dev/projected-from': 'uid' }) });
    now += 61_000;
    await user.call('POST', rules, { body: old('under-way', { 'sluice.dev/projected-from': 'probe' }) });
    await detectOwner(client, clock);
    expect(await names()).toEqual(['projected', 'under-way']);
  });
});
