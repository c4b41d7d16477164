// An installation that owns native taints, beside an in-tree controller that is active later: it notices, only watches, and resumes when an operator says so.
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
import { isMap, type JsonMap, listAt, textAt } from '../../lib/local/cluster/object.ts';
import { type FakeKubelet, startFakeKubelet } from '../../lib/local/fakeKubelet.ts';
import type { Started } from '../../lib/local/start.ts';
import { allOwned } from '../../lib/model/ownership.ts';
import { readModePlan, readModes, switchModes } from '../../lib/state/modeRows.ts';
import { type ControlPlane, startControlPlane } from './support/controlPlane.ts';
import { createAll, find } from './support/objects.ts';
import { explainFailures, startSluice } from './support/sluice.ts';
import { waitFor } from './support/waitFor.ts';

const gpu = 'gpu.example.com';
const team = 'team';
const aPod = (name: string) => pod({ name, namespace: team, graceSeconds: 1, template: 'one-gpu' });
const ruleOf = (name: string, effect: 'None' | 'NoSchedule' | 'NoExecute') =>
  deviceTaintRule({ name, deviceSelector: { driver: gpu }, taint: { key: `example.com/${name}`, effect } });

/** When the last pod of a rule was counted as evicted; `undefined` before that. */
function completedAt(rule: JsonMap | undefined): number | undefined {
  const conditions = listAt(rule ?? {}, 'status', 'conditions').filter(isMap);
  const progress = conditions.find((one) => textAt(one, 'type') === 'EvictionInProgress');
  if (textAt(progress, 'reason') !== 'Completed') return undefined;
  return Date.parse(textAt(progress, 'lastTransitionTime') ?? '');
}

describe('an installation configured to own native taints', () => {
  let controlPlane: ControlPlane;
  let kubelet: FakeKubelet;
  let sluice: Started;
  const modes = async () => (await readModes(await sluice.installation.state())).modes;
  const recorders = async () => {
    const { body } = await controlPlane.client.call('GET', `/api/v1/namespaces/${team}/events`);
    const told = listAt(body, 'items').filter(isMap);
    const evictions = told.filter((one) => textAt(one, 'reason') === 'DeviceTaintManagerEviction');
    return new Set(evictions.map((one) => textAt(one, 'source', 'component') ?? textAt(one, 'reportingComponent')));
  };

  beforeAll(async () => {
    controlPlane = await startControlPlane({
      controllers: ['resourceclaim-controller', 'device-taint-eviction-controller'],
    });
    kubelet = startFakeKubelet(controlPlane);
    await createAll(controlPlane.client, [
      namespace(team),
      deviceClass(gpu),
      node('node-a'),
      resourceSlice({ name: 'node-a', driver: gpu, node: 'node-a', devices: [{ name: 'a' }, { name: 'b' }] }),
      resourceClaimTemplate({ name: 'one-gpu', namespace: team, deviceClass: gpu }),
      aPod('first'),
    ]);
    await waitFor(async () => {
      const found = await find(controlPlane.client, aPod('first'));
      return textAt(found, 'status', 'phase') === 'Running' ? true : undefined;
    }, 60_000);
    sluice = await startSluice(controlPlane, {
      modes: async () => allOwned,
    });
  });
  explainFailures(() => sluice);
  afterAll(async () => {
    await sluice?.stop();
    await kubelet?.stop();
    await controlPlane?.stop();
  });

  it('Sluice owns native taints while no other controller has left a trace', async () => {
    expect(await waitFor(async () => (await modes()).applied)).toEqual({ native: 'own', paced: 'own' });
  });

  it('Sluice only watches native taints after the in-tree controller has written a condition, and says which', async () => {
    await createAll(controlPlane.client, [ruleOf('harmless', 'None')]);
    const { applied, inTree } = await waitFor(async () => {
      const stored = await modes();
      return stored.applied?.native === 'shadow' ? stored : undefined;
    }, 60_000);
    expect(applied).toEqual({ native: 'shadow', paced: 'own' });
    expect(inTree?.evidence).toBe('it manages the conditions of DeviceTaintRule harmless');
  });

  it('the in-tree controller alone evicts the pods of a native rule', async () => {
    const unhealthy = ruleOf('unhealthy', 'NoExecute');
    await createAll(controlPlane.client, [unhealthy]);
    await waitFor(
      async () => ((await find(controlPlane.client, aPod('first'))) === undefined ? true : undefined),
      60_000,
    );
    expect(await recorders()).toEqual(new Set(['device-taint-eviction-controller']));
    // The in-tree controller writes a condition at most every ten seconds, and times have whole seconds: the switch below must come after its last write.
    const lastWord = await waitFor(async () => completedAt(await find(controlPlane.client, unhealthy)), 60_000);
    await waitFor(async () => (Date.now() > lastWord + 3000 ? true : undefined));
  }, 180_000);

  it('switching native taints to own shows a plan first, and the next trace of the in-tree controller is noticed again', async () => {
    await switchModes(await sluice.installation.state(), { native: 'own' }, Date.now());
    expect((await modes()).inTree).toBeUndefined();
    await sluice.installation.aws.fireSchedules();
    await waitFor(async () => readModePlan(await sluice.installation.state(), 'native'), 150_000);
    expect((await modes()).applied?.native).toBe('shadow');
    await createAll(controlPlane.client, [ruleOf('another', 'None')]);
    const { inTree } = await waitFor(async () => {
      const stored = await modes();
      return stored.inTree ? stored : undefined;
    }, 60_000);
    expect(inTree?.evidence).toBe('it manages the conditions of DeviceTaintRule another');
  }, 300_000);
});
