// `sluice start --kubeconfig` on a real control plane: as the only owner, with no more rights than it prints, and beside the in-tree controller.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderRbac } from '../../lib/adapters/kubernetes/rbac.ts';
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
import { alive, type RunningCommand, runDoctor, startSluice } from './support/commandLine.ts';
import { type ControlPlane, startControlPlane } from './support/controlPlane.ts';
import { applyYaml, createAll, find } from './support/objects.ts';
import { waitFor } from './support/waitFor.ts';

const driver = 'gpu.example.com';
const podOf = (name: string) => pod({ name, namespace: 'team', template: 'one-gpu', graceSeconds: 1 });
const ruleOf = (name: string, effect: 'None' | 'NoExecute') =>
  deviceTaintRule({ name, deviceSelector: { driver }, taint: { key: 'example.com/unhealthy', effect } });

/** A cluster with one pod that runs on a device. */
async function aCluster(controllers: readonly string[]) {
  const controlPlane = await startControlPlane({ controllers });
  const kubelet = startFakeKubelet(controlPlane);
  await createAll(controlPlane.client, [
    namespace('team'),
    deviceClass(driver),
    node('node-a'),
    resourceSlice({ name: 'node-a', driver, node: 'node-a', devices: [{ name: 'gpu-0' }, { name: 'gpu-1' }] }),
    resourceClaimTemplate({ name: 'one-gpu', namespace: 'team', deviceClass: driver }),
    podOf('first'),
  ]);
  await waitFor(async () => {
    const phase = textAt(await find(controlPlane.client, podOf('first')), 'status', 'phase');
    return phase === 'Running' ? true : undefined;
  }, 40_000);
  return { controlPlane, kubelet };
}

/** Components that wrote Events about evictions. */
async function recorders(controlPlane: ControlPlane): Promise<readonly (string | undefined)[]> {
  const answer = await controlPlane.client.call(
    'GET',
    '/api/v1/events?fieldSelector=reason%3DDeviceTaintManagerEviction',
  );
  return listAt(answer.body, 'items').map((event) => textAt(event, 'source', 'component'));
}

/** Field managers of the status of a rule. */
async function managers(controlPlane: ControlPlane, rule: JsonMap): Promise<readonly unknown[]> {
  const fields = listAt(await find(controlPlane.client, rule), 'metadata', 'managedFields').filter(isMap);
  return fields.filter((one) => at(one, 'fieldsV1', 'f:status') !== undefined).map((one) => one.manager);
}

const gone = (controlPlane: ControlPlane, name: string) =>
  waitFor(async () => ((await find(controlPlane.client, podOf(name))) ? undefined : true), 60_000);

describe('sluice start as the only owner', () => {
  let controlPlane: ControlPlane;
  let kubelet: FakeKubelet;
  let sluice: RunningCommand | undefined;
  let family: readonly number[] = [];
  beforeAll(async () => {
    ({ controlPlane, kubelet } = await aCluster(['resourceclaim-controller']));
  });
  afterAll(async () => {
    // Also if it never printed the address of its page.
    if (sluice && alive(sluice.family().slice(0, 1)).length > 0) await sluice.end('SIGTERM');
    await kubelet?.stop();
    await controlPlane?.stop();
  });

  it('sluice start evicts with no more rights than --print-rbac names, and the doctor finds nothing wrong with them', async () => {
    const account = { kind: 'ServiceAccount', apiVersion: 'v1', metadata: { name: 'sluice', namespace: 'team' } };
    await applyYaml(controlPlane, JSON.stringify(account));
    const token = (await controlPlane.kubectl(['create', 'token', 'sluice', '--namespace=team'])).stdout.trim();
    const kubeconfig = path.join(controlPlane.folder, 'sluice.kubeconfig');
    writeFileSync(kubeconfig, kubeconfigOf(controlPlane, token));
    const before = await runDoctor(kubeconfig);
    expect(before).toMatchObject({ status: 1, said: expect.stringMatching(/RBAC of .*: delete pods is not granted/) });
    await applyYaml(controlPlane, renderRbac());
    for (const role of ['sluice', 'sluice-probe']) {
      const bound = ['create', 'clusterrolebinding', role, `--clusterrole=${role}`, '--serviceaccount=team:sluice'];
      expect(await controlPlane.kubectl(bound)).toMatchObject({ status: 0 });
    }
    expect(await runDoctor(kubeconfig)).toMatchObject({ status: 0, said: expect.stringMatching(/ 0 problems$/m) });
    sluice = startSluice(['--kubeconfig', kubeconfig]);
    await sluice.untilItSays(/page: http:\/\/127\.0\.0\.1:\d+/);
    expect(sluice.said()).not.toMatch(/shadow/);
    family = sluice.family();
    await createAll(controlPlane.client, [ruleOf('unhealthy', 'NoExecute')]);
    await gone(controlPlane, 'first');
    const written = () => managers(controlPlane, ruleOf('unhealthy', 'NoExecute'));
    // Each part of the status has a manager of its own: `sluice`, `sluice-pace` and so on.
    const all = await waitFor(async () => ((await written()).includes('sluice') ? written() : undefined), 40_000);
    expect(all.filter((manager) => !/^sluice(-|$)/.test(String(manager)))).toEqual([]);
    const events = () => recorders(controlPlane);
    expect(await waitFor(async () => ((await events()).length > 0 ? events() : undefined))).toEqual(['sluice']);
  });

  it('sluice start ends on SIGTERM with status 0 and leaves no process behind', async () => {
    expect(family.length).toBeGreaterThanOrEqual(2);
    expect(await sluice?.end('SIGTERM')).toBe(0);
    expect(alive(family)).toEqual([]);
  });
});

describe('sluice start beside an active in-tree controller', () => {
  let controlPlane: ControlPlane;
  let kubelet: FakeKubelet;
  const started: RunningCommand[] = [];
  let probed = '';
  const run = (...args: string[]) => {
    const sluice = startSluice(['--kubeconfig', controlPlane.kubeconfig, ...args]);
    started.push(sluice);
    return sluice;
  };
  beforeAll(async () => {
    ({ controlPlane, kubelet } = await aCluster(['resourceclaim-controller', 'device-taint-eviction-controller']));
    probed = (await runDoctor(controlPlane.kubeconfig)).said;
    // The in-tree controller shows itself by the condition of any rule.
    await createAll(controlPlane.client, [ruleOf('harmless', 'None')]);
    await waitFor(async () => {
      const found = await managers(controlPlane, ruleOf('harmless', 'None'));
      return found.length > 0 ? true : undefined;
    }, 60_000);
  });
  afterAll(async () => {
    for (const sluice of started) if (alive(sluice.family().slice(0, 1)).length > 0) await sluice.end('SIGTERM');
    await kubelet?.stop();
    await controlPlane?.stop();
  });

  it('the doctor finds the in-tree controller by a probe before it has left any trace, and the probe is deleted', async () => {
    expect(probed).toMatch(/the in-tree controller is active: it gave the probe sluice-probe-[0-9a-f]{8} a condition/);
    const left = ['get', 'devicetaintrules', '--selector=sluice.dev/projected-from=probe', '--output=name'];
    expect(await controlPlane.kubectl(left)).toMatchObject({ status: 0, stdout: '' });
  });

  it('sluice start only watches and says so: the in-tree controller evicts the pod, and Sluice writes only that it does not pace the rule', async () => {
    const sluice = run();
    await sluice.untilItSays(/page: http/);
    expect(sluice.said().match(/^shadow: .*$/gm)).toEqual([
      'shadow: the in-tree controller is active (it manages the conditions of DeviceTaintRule harmless); ' +
        'native rules and slice taints are only watched. --own-native overrides this.',
    ]);
    await createAll(controlPlane.client, [ruleOf('unhealthy', 'NoExecute')]);
    await gone(controlPlane, 'first');
    // The condition is written some seconds after the delete; by then Sluice would have acted too.
    await waitFor(async () => {
      const found = await managers(controlPlane, ruleOf('unhealthy', 'NoExecute'));
      return found.length > 0 ? true : undefined;
    }, 60_000);
    const unpaced = await waitFor(async () => {
      const conditions = listAt(
        await find(controlPlane.client, ruleOf('unhealthy', 'NoExecute')),
        'status',
        'conditions',
      );
      return conditions.filter(isMap).find((one) => one.type === 'sluice.dev/Pacing');
    }, 60_000);
    expect(unpaced).toMatchObject({ status: 'False', reason: 'NotPaced' });
    expect(await sluice.end('SIGINT')).toBe(0);
    expect(new Set(await recorders(controlPlane))).toEqual(new Set(['device-taint-eviction-controller']));
    const inTree = 'device-taint-eviction-controller';
    expect(new Set(await managers(controlPlane, ruleOf('harmless', 'None')))).toEqual(new Set([inTree]));
    expect(new Set(await managers(controlPlane, ruleOf('unhealthy', 'NoExecute')))).toEqual(
      new Set([inTree, 'sluice-pace']),
    );
  });

  it('sluice start with --own-native acts beside the in-tree controller, and says so', async () => {
    const sluice = run('--own-native');
    await sluice.untilItSays(/page: http/);
    expect(sluice.said()).toMatch(/^--own-native: acting although the in-tree controller is active/m);
    await waitFor(async () => {
      const found = await managers(controlPlane, ruleOf('unhealthy', 'NoExecute'));
      return found.includes('sluice') ? true : undefined;
    }, 60_000);
    expect(await sluice.end('SIGINT')).toBe(0);
  });
});

function kubeconfigOf({ url, ca }: ControlPlane, token: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      { name: 'local', cluster: { server: url, 'certificate-authority-data': Buffer.from(ca).toString('base64') } },
    ],
    users: [{ name: 'sluice', user: { token } }],
    contexts: [{ name: 'local', context: { cluster: 'local', user: 'sluice' } }],
    'current-context': 'local',
  });
}
