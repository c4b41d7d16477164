// EvictionStop on a real control plane: accepted by the definition, read under the role of the chart, and no DELETE a second after it.
import path from 'node:path';
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
import { textAt } from '../../lib/local/cluster/object.ts';
import { type FakeKubelet, startFakeKubelet } from '../../lib/local/fakeKubelet.ts';
import type { Started } from '../../lib/local/start.ts';
import { allOwned } from '../../lib/model/ownership.ts';
import { stopCommand } from '../../lib/model/stop.ts';
import { type ControlPlane, startControlPlane } from './support/controlPlane.ts';
import { createAll, find } from './support/objects.ts';
import { explainFailures, startSluice } from './support/sluice.ts';
import { waitFor } from './support/waitFor.ts';

const gpu = 'gpu.example.com';
const team = 'team';
const crds = path.join(import.meta.dirname, '..', '..', 'deploy', 'crds');
const names = Array.from({ length: 16 }, (_, i) => `p-${String(i).padStart(2, '0')}`);
const aPod = (name: string) => pod({ name, namespace: team, graceSeconds: 600, template: 'one-gpu' });

describe('an EvictionStop on a real control plane', () => {
  let controlPlane: ControlPlane;
  let kubelet: FakeKubelet;
  let sluice: Started;
  /** Names of the pods that are going; they stay for ten minutes, so that none is missed. */
  const going = async () => {
    const found = await Promise.all(names.map((name) => find(controlPlane.client, aPod(name))));
    return names.filter((_, i) => textAt(found[i], 'metadata', 'deletionTimestamp') !== undefined);
  };
  const sleep = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
  const manifest = /echo '(.*)' \|/.exec(stopCommand)?.[1] ?? '';

  beforeAll(async () => {
    controlPlane = await startControlPlane({ controllers: ['resourceclaim-controller'] });
    kubelet = startFakeKubelet(controlPlane);
    expect((await controlPlane.kubectl(['apply', '-f', crds])).stderr).toBe('');
    await controlPlane.kubectl(['wait', '--for=condition=Established', '--timeout=30s', '-f', crds]);
    const devices = names.map((name) => ({ name }));
    await createAll(controlPlane.client, [
      namespace(team),
      deviceClass(gpu),
      node('node-a'),
      resourceSlice({ name: 'node-a', driver: gpu, node: 'node-a', devices }),
      resourceClaimTemplate({ name: 'one-gpu', namespace: team, deviceClass: gpu }),
      ...names.map(aPod),
    ]);
    for (const name of names)
      await waitFor(async () => {
        const found = await find(controlPlane.client, aPod(name));
        return textAt(found, 'status', 'phase') === 'Running' ? true : undefined;
      }, 120_000);
    sluice = await startSluice(controlPlane, { modes: async () => allOwned, projectRules: false });
  });
  explainFailures(() => sluice);
  afterAll(async () => {
    await sluice?.stop();
    await kubelet?.stop();
    await controlPlane?.stop();
  });

  it('by the very command of the Events lets no DELETE be sent a second after it; deleting it goes on', async () => {
    const rule = deviceTaintRule({ name: 'bad', taint: { key: 'example.com/bad', effect: 'NoExecute' } });
    const annotations = { 'sluice.dev/evictions-per-second': '1', 'sluice.dev/burst': '1' };
    const metadata = { ...(rule.metadata as object), annotations };
    await createAll(controlPlane.client, [{ ...rule, metadata }]);
    await waitFor(async () => ((await going()).length > 0 ? true : undefined), 60_000);
    const created = await controlPlane.kubectl(['create', '-f', '-'], manifest);
    expect(created.stderr).toBe('');
    await sleep(1000);
    const stopped = await going();
    expect(stopped.length).toBeLessThan(names.length);
    await sleep(10_000);
    expect(await going()).toEqual(stopped);
    expect((await controlPlane.kubectl(['get', 'evictionstops', '-o', 'name'])).stdout).toContain('/stop');
    expect((await controlPlane.kubectl(['delete', 'evictionstop', 'stop'])).stderr).toBe('');
    await waitFor(async () => ((await going()).length > stopped.length ? true : undefined), 90_000);
  });
});
