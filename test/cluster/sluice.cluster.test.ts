// The main task on a real control plane: the real scheduler places the pods, Sluice evicts those that a taint reaches.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  deviceClass,
  deviceTaintRule,
  namespace,
  node,
  pod,
  resourceClaim,
  resourceClaimTemplate,
  resourceSlice,
} from '../../lib/local/cluster/builders.ts';
import { at, isMap, type JsonMap, listAt, textAt } from '../../lib/local/cluster/object.ts';
import { type FakeKubelet, startFakeKubelet } from '../../lib/local/fakeKubelet.ts';
import type { Started } from '../../lib/local/start.ts';
import { type ControlPlane, startControlPlane } from './support/controlPlane.ts';
import { applyYaml, createAll, find, mergePatch, remove } from './support/objects.ts';
import { explainFailures, startSluice } from './support/sluice.ts';
import { waitFor } from './support/waitFor.ts';

const gpu = 'gpu.example.com';
const nic = 'nic.example.com';
const team = 'team';
const finalizer = 'example.com/keep';
const rule = deviceTaintRule({
  name: 'unhealthy',
  deviceSelector: { driver: gpu },
  taint: { key: 'example.com/unhealthy', effect: 'NoExecute' },
});
const slice = (name: string, driver: string, taints: readonly JsonMap[] = []) => ({
  ...resourceSlice({
    name,
    driver,
    node: name,
    devices: [{ name: 'device-0', taints } as never, { name: 'device-1' }, { name: 'device-2' }, { name: 'device-3' }],
  }),
});
const aPod = (name: string, of: { template?: string; claim?: string; finalizers?: string[] }) =>
  pod({ name, namespace: team, graceSeconds: 1, ...of });
const claimed = ['evict-0', 'evict-1', 'evict-2'];

describe('Sluice on a real control plane', () => {
  let controlPlane: ControlPlane;
  let kubelet: FakeKubelet;
  let sluice: Started;
  const said: string[] = [];
  const named = (name: string) => aPod(name, { template: 'one-gpu' });
  const read = (name: string) => find(controlPlane.client, named(name));
  const uids = new Map<string, string>();
  const runs = async (name: string) => {
    await waitFor(async () => (textAt(await read(name), 'status', 'phase') === 'Running' ? true : undefined), 40_000);
    uids.set(name, textAt(await read(name), 'metadata', 'uid') ?? '');
  };
  /** Gone, replaced or terminating. */
  const isGoing = async (name: string) => {
    const found = await read(name);
    return (
      !found ||
      textAt(found, 'metadata', 'uid') !== uids.get(name) ||
      at(found, 'metadata', 'deletionTimestamp') !== undefined
    );
  };
  const eventsOf = async (name: string) => {
    const selector = encodeURIComponent(`involvedObject.name=${name},reason=DeviceTaintManagerEviction`);
    const answer = await controlPlane.client.call('GET', `/api/v1/namespaces/${team}/events?fieldSelector=${selector}`);
    return listAt(answer.body, 'items').filter(isMap);
  };
  const condition = async () => listAt(await find(controlPlane.client, rule), 'status', 'conditions').filter(isMap)[0];

  beforeAll(async () => {
    controlPlane = await startControlPlane();
    kubelet = startFakeKubelet(controlPlane);
    const template = (name: string, driver: string, tolerations?: never[]) =>
      resourceClaimTemplate({ name, namespace: team, deviceClass: driver, ...(tolerations ? { tolerations } : {}) });
    await createAll(controlPlane.client, [
      namespace(team),
      ...[gpu, nic].map(deviceClass),
      ...['node-a', 'node-b', 'node-c'].map(node),
      slice('node-a', gpu),
      slice('node-b', gpu),
      slice('node-c', nic),
      template('one-gpu', gpu),
      template('one-nic', nic),
      template('tolerant', gpu, [{ operator: 'Exists', effect: 'NoExecute' }] as never[]),
      resourceClaim({ name: 'shared', namespace: team, deviceClass: gpu }),
      ...claimed.map(named),
      aPod('finalized', { claim: 'shared', finalizers: [finalizer] }),
      aPod('tolerant', { template: 'tolerant' }),
      aPod('bystander', { template: 'one-nic' }),
    ]);
    for (const name of [...claimed, 'finalized', 'tolerant', 'bystander']) await runs(name);
    sluice = await startSluice(controlPlane, {
      modes: async () => ({ native: 'own', paced: 'own' }),
      onProgress: (text) => said.push(text),
    });
  });
  explainFailures(() => sluice);
  afterAll(async () => {
    await sluice?.stop();
    await kubelet?.stop();
    await controlPlane?.stop();
  });

  it('kubectl wait returns after the last pod is deleted, and not before the rule was evaluated', async () => {
    await applyYaml(controlPlane, JSON.stringify(rule));
    const waited = await controlPlane.kubectl([
      'wait',
      '--for=condition=EvictionInProgress=false',
      'devicetaintrules/unhealthy',
      '--timeout=90s',
    ]);
    expect(waited).toMatchObject({ status: 0 });
    for (const name of [...claimed, 'finalized']) expect([name, await isGoing(name)]).toEqual([name, true]);
    expect(await condition()).toMatchObject({ status: 'False', reason: 'Completed', observedGeneration: 1 });
  });

  it('Sluice keeps pods that tolerate the taint or use other devices', async () => {
    for (const name of ['tolerant', 'bystander']) expect([name, await isGoing(name)]).toEqual([name, false]);
  });

  it('row-119 rule-evicts: a pod with a finalizer carries the DisruptionTarget condition, has one Event, and is counted once', async () => {
    const disrupted = listAt(await read('finalized'), 'status', 'conditions')
      .filter(isMap)
      .find((one) => one.type === 'DisruptionTarget');
    expect(disrupted).toMatchObject({
      status: 'True',
      reason: 'DeletionByDeviceTaintManager',
      message: 'Device Taint manager: deleting due to NoExecute taint',
    });
    const events = await waitFor(async () => {
      const found = await eventsOf('finalized');
      return found.length > 0 ? found : undefined;
    });
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({ type: 'Normal', count: 1, source: { component: 'sluice' } });
    expect(textAt(events[0], 'message')).toMatch(
      /^Marking for deletion: DeviceTaintRule unhealthy: taint example.com\/unhealthy:NoExecute on device gpu.example.com\//,
    );
    expect(textAt(await condition(), 'message')).toBe('4 pods evicted since starting the controller.');
  });

  it('a pod that the scheduler still places on the tainted device is evicted too', async () => {
    await createAll(controlPlane.client, [aPod('late', { claim: 'shared', finalizers: [finalizer] })]);
    await waitFor(async () => (textAt(await read('late'), 'spec', 'nodeName') ? true : undefined), 40_000);
    await waitFor(async () => (at(await read('late'), 'metadata', 'deletionTimestamp') ? true : undefined), 40_000);
  });

  it('a claim is deallocated after its last pod, and a new pod stays Pending until the rule is deleted', async () => {
    await createAll(controlPlane.client, [named('new')]);
    for (const name of ['finalized', 'late'])
      await mergePatch(controlPlane.client, named(name), { metadata: { finalizers: null } });
    const shared = resourceClaim({ name: 'shared', namespace: team, deviceClass: gpu });
    await waitFor(async () => {
      const found = await find(controlPlane.client, shared);
      return at(found, 'status', 'allocation') === undefined ? true : undefined;
    }, 40_000);
    expect(textAt(await read('new'), 'status', 'phase')).toBe('Pending');
    await remove(controlPlane.client, rule);
    await runs('new');
  });

  it('a taint that the driver publishes in a slice evicts the pod on that device and no other', async () => {
    const claimName =
      textAt(listAt(await read('new'), 'status', 'resourceClaimStatuses')[0], 'resourceClaimName') ?? '';
    const claim = await find(controlPlane.client, {
      kind: 'ResourceClaim',
      metadata: { name: claimName, namespace: team },
    });
    const result = listAt(claim, 'status', 'allocation', 'devices', 'results')[0];
    const taint = { key: 'gpu.example.com/xid', value: '79', effect: 'NoExecute' };
    const pool = textAt(result, 'pool') ?? '';
    const devices = listAt(await find(controlPlane.client, slice(pool, gpu)), 'spec', 'devices').filter(isMap);
    const tainted = devices.map((device) =>
      device.name === textAt(result, 'device') ? { ...device, taints: [taint] } : device,
    );
    await mergePatch(controlPlane.client, slice(pool, gpu), { spec: { devices: tainted } });
    await waitFor(async () => ((await isGoing('new')) ? true : undefined), 40_000);
    for (const name of ['tolerant', 'bystander']) expect([name, await isGoing(name)]).toEqual([name, false]);
  });

  it('a paused rule evicts no pod, and a rule over every device is held until its plan is approved', async () => {
    const everything = deviceTaintRule({
      name: 'everything',
      deviceSelector: {},
      taint: { key: 'example.com/everything', effect: 'NoExecute' },
    });
    await createAll(controlPlane.client, [
      { ...everything, metadata: { name: 'everything', annotations: { 'pause.sluice.dev/audit': 'first' } } },
    ]);
    const held = async () =>
      listAt(await find(controlPlane.client, everything), 'status', 'conditions')
        .filter(isMap)
        .find((one) => one.type === 'sluice.dev/Held');
    const heldFor = (reason: string) =>
      waitFor(async () => {
        const found = await held();
        return found?.reason === reason ? found : undefined;
      }, 40_000);
    expect(await heldFor('Paused')).toMatchObject({
      status: 'True',
      message: expect.stringMatching(/^Paused by audit \(first\)\. An empty selector reaches every device: /),
    });
    const annotate = (...changes: string[]) =>
      controlPlane.kubectl(['annotate', '--overwrite', 'devicetaintrule', 'everything', ...changes]);
    expect(await annotate('pause.sluice.dev/audit-')).toMatchObject({ status: 0 });
    const { message } = await heldFor('AwaitingApproval');
    expect(message).toMatch(/^An empty selector reaches every device: 1 pods in 1 namespaces would be evicted/);
    expect(await isGoing('bystander')).toBe(false);
    const approval = /sluice\.dev\/approve=[0-9a-f]{12}$/.exec(String(message))?.[0] ?? '';
    expect(await annotate(approval)).toMatchObject({ status: 0 });
    await waitFor(async () => ((await isGoing('bystander')) ? true : undefined), 40_000);
    expect(await isGoing('tolerant')).toBe(false);
    expect(await heldFor('NotHeld')).toMatchObject({ status: 'False' });
    expect(sluice.logs.errors(), sluice.logs.lastError()).toBe(0);
  });
});
