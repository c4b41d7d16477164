// An installation as docs/install.md says it: packed by npm, an account with EKS, a real control plane; upgraded and rolled back meanwhile.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { isMap, listAt, textAt } from '../../lib/local/cluster/object.ts';
import { until } from './support/deployment.ts';
import { clusterName, drivers } from './support/fleet.ts';
import { type Machine, type Said, startMachine } from './support/machine.ts';

const image = (of: string) => `registry.example.com/sluice@sha256:${of.repeat(64)}`;
/** The same sources under two versions: what differs is the name by which functions call the API server, and so their bundles. */
const older = { version: '0.2.0', image: image('a'), userAgent: 'sluice' };
const newer = { version: '0.3.0', image: image('b'), userAgent: 'sluice-newer' };

describe('sluice install', { timeout: 600_000 }, () => {
  const [gpu, tpu] = drivers;
  let machine: Machine;
  let before: Readonly<Record<string, readonly string[]>>;
  let objectsBefore: readonly string[] = [];

  beforeAll(async () => {
    machine = await startMachine([older, newer], { nodes: 4, pods: 40, drivers: [gpu, tpu] });
    before = await machine.cloud.inventory();
    objectsBefore = await objectsOf(machine);
  }, 600_000);
  afterAll(async () => {
    await machine?.stop();
  });

  const configuration = () => path.join(machine.folder, 'sluice.yaml');

  it('shows what it would do and changes nothing by a dry run', async () => {
    const words = ['install', '--eks-cluster', clusterName, '--image', older.image, '--dry-run'];
    const said = done(await machine.sluice(older, ...words));
    expect(said).toContain('dry run: nothing was written');
    expect(said).toMatch(/ok {7}feature gate DRADeviceTaints of local: enabled/);
    expect(said).toMatch(/about \d+\.\d\d US dollars a month at list prices, for 4 nodes of 10 devices/);
    expect(existsSync(configuration())).toBe(false);
    expect(await machine.cloud.inventory()).toEqual(before);
    expect(await objectsOf(machine)).toEqual(objectsBefore);
  });

  it('makes an installation by one command, which ends when the watcher sends heartbeats and the doctor finds nothing wrong', async () => {
    const words = ['install', '--eks-cluster', clusterName, '--image', older.image, '--yes'];
    const said = done(await machine.sluice(older, ...words));
    expect(said).toMatch(/ok {7}watcher of local: last heartbeat \d+ s ago\n(.*\n)*\d+ ok, \d+ to look at, 0 wrong\n/);
    expect(parse(readFileSync(configuration(), 'utf8'))).toMatchObject({
      stack: { name: 'Sluice', account: '000000000000', region: 'us-east-1' },
      clusters: [{ name: clusterName, auth: { kind: 'eks', clusterName }, accessEntry: true }],
    });
    // Of evict, of report, and the watcher's role.
    expect(machine.eks.entries()).toHaveLength(3);
    expect(machine.kubelet.started).toEqual([older.image]);
  });

  it('evicts the pod of a device that is drained, by the next command of the page', async () => {
    const { fleet, kubelet } = machine;
    const [{ pool = '', device = '', uid = '' } = {}] = fleet.pods.filter(({ driver }) => driver === gpu);
    const words = ['drain', 'device', `${gpu}/${pool}/${device}`, '--kubeconfig', fleet.kubeconfig, '--yes'];
    expect(done(await machine.sluice(older, ...words))).toContain(device);
    await until('the pod is deleted', () => fleet.deletes().length > 0, { seen: () => kubelet.log.slice(-5) });
    expect(fleet.deletes().map((call) => call.uid)).toEqual([uid]);
  });

  it('refuses to install over another release, and names the command that changes it', async () => {
    expect(await machine.sluice(newer, 'install', '--image', newer.image, '--yes')).toEqual({
      status: 1,
      said: `error: stack Sluice in us-east-1 is of release ${older.version}\nto change it: sluice upgrade\n`,
    });
  });

  it('is upgraded and rolled back in the middle of an eviction, watchers before functions and behind them: every pod is evicted, none twice', async () => {
    const { fleet, kubelet, controlPlane } = machine;
    const uids = fleet.pods.filter(({ driver }) => driver === tpu).map(({ uid }) => uid);
    const deletes = () => fleet.deletes().filter(({ uid }) => uids.includes(uid));
    const seen = () => deletes().map(({ userAgent }) => userAgent);
    const nextDelete = async (userAgent: string) => {
      const count = () => seen().filter((one) => one === userAgent).length;
      const sent = count();
      await until(`${userAgent} evicts`, () => count() > sent, { seconds: 120, seen });
    };
    await fleet.taint({ name: 'all', selector: { driver: tpu }, perSecond: 0.05, burst: 1 });
    await nextDelete(older.userAgent);
    const byHand = ['upgrade', 'sluice', 'CHART', '--namespace', 'sluice', '--reuse-values', '--set'];
    done(await machine.helm(newer, ...byHand, `image=${newer.image}`));
    await until('the newer watcher runs', () => kubelet.started.length > 1);
    await nextDelete(older.userAgent);
    const forth = done(await machine.sluice(newer, 'upgrade', '--image', newer.image, '--yes'));
    expect(forth).toMatch(/applying definitions(.*\n)*deploying stack(.*\n)*installing the chart/);
    await nextDelete(newer.userAgent);
    const back = done(await machine.sluice(older, 'upgrade', '--image', older.image, '--yes'));
    expect(back).toMatch(/installing the chart(.*\n)*deploying stack/);
    expect(back).not.toContain('applying definitions');
    expect(kubelet.started).toEqual([older.image, newer.image, older.image]);
    expect(seen().length).toBeLessThan(uids.length);
    const faster = ['annotate', '--overwrite', 'devicetaintrule/all', 'sluice.dev/evictions-per-second=2'];
    expect(await controlPlane.kubectl(faster)).toMatchObject({ status: 0 });
    await until('all are deleted', () => seen().length >= uids.length, { seconds: 120, seen });
    expect(seen().at(-1)).toBe(older.userAgent);
    const evicted = deletes().map(({ uid }) => uid);
    expect(evicted.toSorted()).toEqual(uids.toSorted());
  });

  it('is removed without a trace in cluster and account, except for what the page names', async () => {
    expect(done(await machine.sluice(older, 'uninstall', '--yes'))).toContain('stack Sluice is gone');
    const left = await machine.cloud.inventory();
    const stacks = left.stacks?.filter((name) => name !== 'CDKToolkit');
    // gaps.ts: a function that still runs makes its log group again.
    expect({ ...left, stacks, logGroups: before.logGroups }).toEqual(before);
    expect(machine.eks.entries()).toEqual([]);
    const added = async () => (await objectsOf(machine)).filter((one) => !objectsBefore.includes(one));
    await until('nothing of it is left in the cluster', async () => (await added()).length === 0, { seen: added });
    expect(await objectsOf(machine)).toEqual(objectsBefore);
    expect(await machine.sluice(older, 'uninstall', '--yes')).toEqual({
      status: 1,
      said: 'error: there is no stack Sluice in us-east-1\nto remove what is in the clusters: --clusters-only\n',
    });
  });
});

function done({ status, said }: Said): string {
  if (status !== 0) throw new Error(`it ended with ${status}:\n${said.slice(-3000)}`);
  return said;
}

/** Of all kinds that Sluice brings objects of. */
async function objectsOf({ controlPlane: { client } }: Machine): Promise<readonly string[]> {
  const lists = [
    '/api/v1/namespaces',
    '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    '/apis/rbac.authorization.k8s.io/v1/clusterroles',
    '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
    '/apis/rbac.authorization.k8s.io/v1/roles',
    '/apis/rbac.authorization.k8s.io/v1/rolebindings',
    '/apis/apps/v1/deployments',
    '/apis/policy/v1/poddisruptionbudgets',
    '/apis/networking.k8s.io/v1/networkpolicies',
    '/api/v1/serviceaccounts',
    '/api/v1/secrets',
    '/api/v1/configmaps',
  ];
  const found = await Promise.all(
    lists.map(async (list) => {
      const { body } = await client.call('GET', list);
      return listAt(body, 'items')
        .filter(isMap)
        .map((one) => `${list} ${textAt(one, 'metadata', 'namespace') ?? ''}/${textAt(one, 'metadata', 'name')}`);
    }),
  );
  return found.flat().sort();
}
