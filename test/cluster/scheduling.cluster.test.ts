// The control plane itself: the real scheduler and allocator place pods on devices, a rule keeps new pods away, and no controller evicts.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  deviceClass,
  deviceTaintRule,
  namespace,
  node,
  pod,
  resourceClaimTemplate,
  resourceSlice,
} from '../../lib/local/cluster/builders.ts';
import { at, isMap, type JsonMap, listAt, textAt } from '../../lib/local/cluster/object.ts';
import { type FakeKubelet, startFakeKubelet } from '../../lib/local/fakeKubelet.ts';
import { type ControlPlane, startControlPlane } from './support/controlPlane.ts';
import { applyYaml, createAll, find, remove } from './support/objects.ts';
import { waitFor } from './support/waitFor.ts';

const driver = 'gpu.example.com';
const taint = { key: 'example.com/unhealthy', effect: 'NoExecute' };
const rule = deviceTaintRule({ name: 'unhealthy', deviceSelector: { driver }, taint });
const podOf = (name: string, template = 'one-gpu') => pod({ name, namespace: 'team', template, graceSeconds: 1 });

describe('a real control plane', () => {
  let controlPlane: ControlPlane;
  let kubelet: FakeKubelet;
  const phase = async (name: string) => textAt(await find(controlPlane.client, podOf(name)), 'status', 'phase');
  const runs = (name: string) => waitFor(async () => ((await phase(name)) === 'Running' ? true : undefined));
  const claimOf = async (name: string): Promise<JsonMap | undefined> => {
    const found = await find(controlPlane.client, podOf(name));
    const claim = textAt(listAt(found, 'status', 'resourceClaimStatuses')[0], 'resourceClaimName') ?? '';
    return find(controlPlane.client, { kind: 'ResourceClaim', metadata: { name: claim, namespace: 'team' } });
  };

  beforeAll(async () => {
    controlPlane = await startControlPlane();
    kubelet = startFakeKubelet(controlPlane);
    const devices = [{ name: 'gpu-0' }, { name: 'gpu-1' }];
    await createAll(controlPlane.client, [
      namespace('team'),
      deviceClass(driver),
      node('node-a'),
      resourceSlice({ name: 'node-a', driver, node: 'node-a', devices }),
      resourceClaimTemplate({ name: 'one-gpu', namespace: 'team', deviceClass: driver }),
      resourceClaimTemplate({
        name: 'tolerant',
        namespace: 'team',
        deviceClass: driver,
        tolerations: [{ operator: 'Exists' }],
      }),
    ]);
  });
  afterAll(async () => {
    await kubelet?.stop();
    await controlPlane?.stop();
  });

  it('a real control plane allocates a device to a pod with a claim from a template, and the fake kubelet runs it', async () => {
    await createAll(controlPlane.client, [podOf('first')]);
    expect(await runs('first')).toBe(true);
    const claim = await claimOf('first');
    const result = listAt(claim, 'status', 'allocation', 'devices', 'results')[0];
    expect(result).toMatchObject({ driver, pool: 'node-a', request: 'device' });
    expect(listAt(claim, 'status', 'reservedFor')).toEqual([
      expect.objectContaining({ resource: 'pods', name: 'first' }),
    ]);
  });

  it('row-120 schedule: a new pod stays Pending while a rule taints its devices, a tolerating one runs, and no pod is evicted', async () => {
    await applyYaml(
      controlPlane,
      `{apiVersion: resource.k8s.io/v1, kind: DeviceTaintRule, metadata: {name: unhealthy},
        spec: {deviceSelector: {driver: ${driver}}, taint: {key: ${taint.key}, effect: ${taint.effect}}}}`,
    );
    await createAll(controlPlane.client, [podOf('second'), podOf('tolerant', 'tolerant')]);
    expect(await runs('tolerant')).toBe(true);
    const unschedulable = await waitFor(async () => {
      const conditions = listAt(await find(controlPlane.client, podOf('second')), 'status', 'conditions');
      return conditions.filter(isMap).find((each) => each.type === 'PodScheduled' && each.status === 'False');
    });
    expect(unschedulable).toMatchObject({ reason: 'Unschedulable' });
    expect(at(await find(controlPlane.client, podOf('first')), 'metadata', 'deletionTimestamp')).toBeUndefined();
    expect(at(await find(controlPlane.client, rule), 'status')).toEqual({});
  });

  it('a pod is scheduled after the rule is deleted and a device is free, and the claim of a pod that ended is deallocated', async () => {
    await remove(controlPlane.client, rule);
    const claim = await claimOf('first');
    await remove(controlPlane.client, podOf('first'));
    await waitFor(async () => ((await find(controlPlane.client, podOf('first'))) === undefined ? true : undefined));
    expect(await runs('second')).toBe(true);
    const freed = await waitFor(async () => {
      const now = await find(controlPlane.client, claim ?? {});
      return listAt(now, 'status', 'reservedFor').length === 0
        ? { allocation: at(now, 'status', 'allocation') }
        : undefined;
    });
    expect(freed).toEqual({ allocation: undefined });
  });
});
