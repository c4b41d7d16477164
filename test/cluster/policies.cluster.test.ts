// EvictionPolicies on a real control plane: a canary, evictions in flight, held and paused taints in slices, and a policy that is deleted.
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  deviceClass,
  namespace,
  node,
  pod,
  resourceClaimTemplate,
  resourceSlice,
} from '../../lib/local/cluster/builders.ts';
import { isMap, type JsonMap, listAt, textAt } from '../../lib/local/cluster/object.ts';
import { type FakeKubelet, startFakeKubelet } from '../../lib/local/fakeKubelet.ts';
import type { Started } from '../../lib/local/start.ts';
import { allOwned } from '../../lib/model/ownership.ts';
import { readHeartbeat } from '../../lib/state/liveness.ts';
import { type ControlPlane, startControlPlane } from './support/controlPlane.ts';
import { applyYaml, createAll, find, mergePatch } from './support/objects.ts';
import { explainFailures, startSluice } from './support/sluice.ts';
import { waitFor } from './support/waitFor.ts';

const gpu = 'gpu.example.com';
const team = 'team';
const crds = path.join(import.meta.dirname, '..', '..', 'deploy', 'chart', 'crds');
const held = 'sluice.dev/Held';
const nodes = ['node-a', 'node-b', 'node-c', 'node-d', 'node-e', 'node-f'];
const namesOn = (where: string) => [0, 1, 2, 3, 4].map((i) => `${where}-${i}`);

function aPod(name: string, finalizers: readonly string[] = []) {
  const made = pod({ name, namespace: team, graceSeconds: 1, template: 'one-gpu', finalizers });
  const nodeSelector = { 'kubernetes.io/hostname': name.slice(0, 'node-x'.length) };
  return { ...made, spec: { ...(made.spec as object), nodeSelector } };
}

const policy = (name: string, spec: JsonMap) => ({
  apiVersion: 'sluice.dev/v1alpha1',
  kind: 'EvictionPolicy',
  metadata: { name },
  spec: { taints: { keys: [`example.com/${name}`] }, ...spec },
});

const ruleOn = (pool: string, key: string) => ({
  apiVersion: 'sluice.dev/v1alpha1',
  kind: 'PacedTaintRule',
  metadata: { name: key },
  spec: { deviceSelector: { pool }, taints: [{ key: `example.com/${key}`, effect: 'NoExecute' }] },
});

describe('EvictionPolicies on a real control plane', () => {
  let controlPlane: ControlPlane;
  let kubelet: FakeKubelet;
  let sluice: Started;
  /** Those of a node's pods that are gone or terminating. */
  const going = async (where: string) => {
    const found = await Promise.all(namesOn(where).map((name) => find(controlPlane.client, aPod(name))));
    return namesOn(where).filter(
      (_, i) => textAt(found[i], 'metadata', 'deletionTimestamp') !== undefined || !found[i],
    );
  };
  const condition = async (object: JsonMap) => {
    const conditions = listAt(await find(controlPlane.client, object), 'status', 'conditions').filter(isMap);
    return conditions.find((one) => one.type === held);
  };
  const isHeld = (object: JsonMap, reason: string) =>
    waitFor(async () => {
      const found = await condition(object);
      return found?.status === 'True' && found.reason === reason ? found : undefined;
    }, 60_000);
  const haveGone = (where: string, count: number) =>
    waitFor(async () => ((await going(where)).length === count ? true : undefined), 60_000);
  const heartbeats = async (count: number) => {
    for (let i = 0; i < count; i++) {
      const before = (await readHeartbeat(await sluice.installation.state())) ?? 0;
      await waitFor(
        async () => ((await readHeartbeat(await sluice.installation.state())) ?? 0) > before || undefined,
        60_000,
      );
    }
  };
  /** Runs the command that a condition ends with. */
  const obey = async (message: string | undefined) => {
    const command = /: kubectl (annotate .*)$/.exec(message ?? '')?.[1] ?? '';
    expect(command).toContain('sluice.dev/approve=');
    expect(await controlPlane.kubectl(command.split(' '))).toMatchObject({ status: 0 });
  };

  beforeAll(async () => {
    controlPlane = await startControlPlane({ controllers: ['resourceclaim-controller'] });
    kubelet = startFakeKubelet(controlPlane);
    expect((await controlPlane.kubectl(['apply', '-f', crds])).stderr).toBe('');
    await controlPlane.kubectl(['wait', '--for=condition=Established', '--timeout=30s', '-f', crds]);
    await createAll(controlPlane.client, [
      namespace(team),
      deviceClass(gpu),
      ...nodes.map(node),
      ...nodes.map((name) => resourceSlice({ name, driver: gpu, node: name, devices: devices() })),
      resourceClaimTemplate({ name: 'one-gpu', namespace: team, deviceClass: gpu }),
      ...nodes.flatMap((where) =>
        namesOn(where).map((name) => aPod(name, where === 'node-b' ? ['example.com/stays'] : [])),
      ),
    ]);
    for (const name of nodes.flatMap(namesOn))
      await waitFor(async () => {
        const found = await find(controlPlane.client, aPod(name));
        return textAt(found, 'status', 'phase') === 'Running' ? true : undefined;
      }, 60_000);
    sluice = await startSluice(controlPlane, {
      modes: async () => allOwned,
      projectRules: false,
    });
  });
  explainFailures(() => sluice);
  afterAll(async () => {
    await sluice?.stop();
    await kubelet?.stop();
    await controlPlane?.stop();
  });

  it('a canary evicts its pods, its condition counts evicted and pending pods, and all are evicted after the hold', async () => {
    await applyYaml(controlPlane, JSON.stringify(policy('canary', { canary: { pods: 2, hold: '30s' } })));
    const rule = ruleOn('node-a', 'canary');
    await applyYaml(controlPlane, JSON.stringify(rule));
    await haveGone('node-a', 2);
    const said = await waitFor(async () => {
      const found = await condition(rule);
      return String(found?.message).includes(': 2 pods evicted') ? found : undefined;
    }, 60_000);
    expect(said).toMatchObject({ status: 'True', reason: 'Canary' });
    expect(said?.message).toMatch(
      /^Canary of EvictionPolicy canary: 2 pods evicted, the last at .*; 3 more wait until /,
    );
    expect(await going('node-a')).toHaveLength(2);
    await haveGone('node-a', 5);
    await waitFor(async () => ((await condition(rule))?.status === 'False' ? true : undefined), 60_000);
  }, 240_000);

  it('a pod that does not terminate holds the other pods of its node under maxPerNode', async () => {
    await applyYaml(controlPlane, JSON.stringify(policy('flight', { limits: { maxPerNode: 1 } })));
    await applyYaml(controlPlane, JSON.stringify(ruleOn('node-b', 'flight')));
    await haveGone('node-b', 1);
    await heartbeats(2);
    const [first = ''] = await going('node-b');
    expect(await going('node-b')).toEqual([first]);
    await mergePatch(controlPlane.client, aPod(first), { metadata: { finalizers: null } });
    await haveGone('node-b', 2);
    await heartbeats(1);
    expect(await going('node-b')).toHaveLength(2);
  }, 240_000);

  it('deleting a policy during an eviction holds the pending pods until the command in the condition is run', async () => {
    // A busy machine misses reservations, and the next one must come soon enough.
    const slow = policy('slow', { evictionsPerSecond: 0.05, burst: 1 });
    await applyYaml(controlPlane, JSON.stringify(slow));
    const rule = ruleOn('node-c', 'slow');
    await applyYaml(controlPlane, JSON.stringify(rule));
    await waitFor(async () => ((await going('node-c')).length > 0 ? true : undefined), 60_000);
    await controlPlane.kubectl(['delete', 'evictionpolicy', 'slow']);
    const said = await isHeld(rule, 'PolicyGone');
    expect(said.message).toContain('EvictionPolicy slow was deleted while pods waited under it');
    const went = await going('node-c');
    expect(went.length).toBeLessThan(4);
    await heartbeats(2);
    expect(await going('node-c')).toEqual(went);
    await obey(textAt(said, 'message'));
    await haveGone('node-c', 5);
  }, 240_000);

  it('a plan is approved while the window of its policy is closed, and its pods go once the window is gone', async () => {
    const windows = [{ schedule: '0 0 30 2 *', duration: '1h', timeZone: 'UTC' }];
    const night = policy('night', { windows, approval: 'Required' });
    await applyYaml(controlPlane, JSON.stringify(night));
    const rule = ruleOn('node-e', 'night');
    await applyYaml(controlPlane, JSON.stringify(rule));
    const said = await waitFor(async () => {
      const found = await condition(rule);
      return String(found?.message).includes('5 pods in 1 namespaces') ? found : undefined;
    }, 60_000);
    expect(said).toMatchObject({ status: 'True', reason: 'OutsideWindow' });
    await obey(textAt(said, 'message'));
    const approved = await waitFor(async () => {
      const found = await condition(rule);
      return String(found?.message).includes('sluice.dev/approve') ? undefined : found;
    }, 60_000);
    expect(approved.message).toBe('Outside the windows of EvictionPolicy night: they never open.');
    await heartbeats(1);
    expect(await going('node-e')).toEqual([]);
    await mergePatch(controlPlane.client, night, { spec: { windows: null } });
    await haveGone('node-e', 5);
  }, 240_000);

  it('a taint in slices over the limits of its policy is held until the command in the condition is run', async () => {
    const limits = policy('limits', { limits: { maxPods: 2 }, evictionsPerSecond: 0.01, burst: 1 });
    await applyYaml(controlPlane, JSON.stringify(limits));
    const taints = [{ key: 'example.com/limits', effect: 'NoExecute' }];
    const tainted = resourceSlice({ name: 'node-d', driver: gpu, node: 'node-d', devices: devices(taints) });
    await mergePatch(controlPlane.client, tainted, { spec: { devices: (tainted.spec as JsonMap).devices ?? [] } });
    const said = await isHeld(limits, 'OverLimits');
    expect(said.message).toMatch(
      /^example.com\/limits:NoExecute of gpu.example.com: Over the limits of EvictionPolicy/,
    );
    const went = await going('node-d');
    expect(went.length).toBeLessThanOrEqual(2);
    await heartbeats(1);
    expect(await going('node-d')).toEqual(went);
    await obey(textAt(said, 'message'));
    await waitFor(async () => ((await condition(limits))?.status === 'False' ? true : undefined), 60_000);
  }, 240_000);

  it('a policy that only pauses holds a taint in slices that no other policy selects, until it is deleted', async () => {
    const paused = policy('paused', { pauseOnly: true, paused: true });
    await applyYaml(controlPlane, JSON.stringify(paused));
    const taints = [{ key: 'example.com/paused', effect: 'NoExecute' }];
    const tainted = resourceSlice({ name: 'node-f', driver: gpu, node: 'node-f', devices: devices(taints) });
    await mergePatch(controlPlane.client, tainted, { spec: { devices: (tainted.spec as JsonMap).devices ?? [] } });
    await heartbeats(2);
    expect(await going('node-f')).toEqual([]);
    expect(await controlPlane.kubectl(['delete', 'evictionpolicy', 'paused'])).toMatchObject({ status: 0 });
    await haveGone('node-f', 5);
  }, 240_000);
});

function devices(taints: readonly { readonly key: string; readonly effect: string }[] = []) {
  return [0, 1, 2, 3, 4].map((i) => ({ name: `device-${i}`, ...(taints.length > 0 ? { taints } : {}) }));
}
