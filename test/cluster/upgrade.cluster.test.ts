// Sluice is installed in a cluster that has run without it, and removed again: rules keep their effect in both directions.
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
import { at, isMap, listAt, textAt } from '../../lib/local/cluster/object.ts';
import { type FakeKubelet, startFakeKubelet } from '../../lib/local/fakeKubelet.ts';
import type { Started } from '../../lib/local/start.ts';
import { type ControlPlane, startControlPlane } from './support/controlPlane.ts';
import { createAll, find } from './support/objects.ts';
import { startSluice } from './support/sluice.ts';
import { waitFor } from './support/waitFor.ts';

const driver = 'gpu.example.com';
const team = 'team';
const seconds = 15;
const slice = resourceSlice({
  name: 'node-a',
  driver,
  node: 'node-a',
  devices: [
    { name: 'device-0', taints: [{ key: 'example.com/old', effect: 'NoSchedule' }] } as never,
    { name: 'device-1' },
  ],
});
const rule = deviceTaintRule({
  name: 'unhealthy',
  deviceSelector: { driver },
  taint: { key: 'example.com/unhealthy', effect: 'NoExecute' },
});
const tolerations = [
  { key: 'example.com/old', operator: 'Exists' },
  { key: 'example.com/unhealthy', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: seconds },
];
const aPod = (name: string, template: string) =>
  pod({ name, namespace: team, template, graceSeconds: 1, finalizers: ['example.com/keep'] });
const [running, late] = [aPod('running', 'tolerant'), aPod('late', 'plain')];

describe('row-121 upgrade: a pod runs by its toleration, and Sluice is installed', () => {
  let controlPlane: ControlPlane;
  let kubelet: FakeKubelet;
  let sluice: Started | undefined;
  const read = (of: ReturnType<typeof aPod>) => find(controlPlane.client, of);
  const millis = (text: string | undefined) => Date.parse(text ?? '');

  beforeAll(async () => {
    controlPlane = await startControlPlane();
    kubelet = startFakeKubelet(controlPlane);
    await createAll(controlPlane.client, [
      namespace(team),
      deviceClass(driver),
      node('node-a'),
      slice,
      resourceClaimTemplate({
        name: 'tolerant',
        namespace: team,
        deviceClass: driver,
        tolerations: tolerations as never,
      }),
      resourceClaimTemplate({ name: 'plain', namespace: team, deviceClass: driver }),
      running,
    ]);
    await waitFor(
      async () => (textAt(await read(running), 'status', 'phase') === 'Running' ? true : undefined),
      40_000,
    );
    sluice = await startSluice(controlPlane, {
      modes: async () => ({ native: 'own', paced: 'own' }),
    });
  });
  afterAll(async () => {
    await sluice?.stop();
    await kubelet?.stop();
    await controlPlane?.stop();
  });

  it('a rule created after the installation keeps a pod for its tolerationSeconds, and evicts it later', async () => {
    await createAll(controlPlane.client, [rule]);
    const going = await waitFor(async () => {
      const found = await read(running);
      return at(found, 'metadata', 'deletionTimestamp') === undefined ? undefined : found;
    }, 60_000);
    const since = millis(textAt(await find(controlPlane.client, rule), 'spec', 'taint', 'timeAdded'));
    // metav1.Time has whole seconds, and the grace period of one second lies before the deletionTimestamp.
    expect(millis(textAt(going, 'metadata', 'deletionTimestamp')) - 1000 - since).toBeGreaterThanOrEqual(
      (seconds - 1) * 1000,
    );
    const marked = listAt(going, 'status', 'conditions').filter(isMap);
    expect(marked).toContainEqual(expect.objectContaining({ type: 'DisruptionTarget', status: 'True' }));
  });

  it('a rule keeps new pods Pending after Sluice is removed, and evicts no pod', async () => {
    await sluice?.stop();
    sluice = undefined;
    await createAll(controlPlane.client, [late]);
    const unschedulable = await waitFor(async () => {
      const conditions = listAt(await read(late), 'status', 'conditions').filter(isMap);
      return conditions.find((each) => each.type === 'PodScheduled' && each.status === 'False');
    });
    expect(unschedulable).toMatchObject({ reason: 'Unschedulable' });
    expect(at(await read(late), 'metadata', 'deletionTimestamp')).toBeUndefined();
  });
});
