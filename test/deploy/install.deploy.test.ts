// An installation as in docs/install.md: packed by npm, an account with EKS, a real control plane; upgraded and rolled back during an eviction.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { DeleteTableCommand, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { commandsAt } from '../commands/support/pageCommands.ts';
import { until } from './support/deployment.ts';
import { clusterName, drivers } from './support/fleet.ts';
import { objectsOf } from './support/installedObjects.ts';
import { type Machine, type Said, startMachine } from './support/machine.ts';
import { withSweep } from './support/sweep.ts';

/** What cannot run here, each with its reason. */
const elsewhere: Readonly<Record<string, string>> = {
  'npx cdk deploy': 'it is how every other file of this tier begins: support/cdk.ts',
  'npx cdk deploy -c allowRemoval=prod': 'the same; test/infra/app.test.ts allows a removal so',
};
const ofPages = [...new Set(commandsAt('account').map(({ command }) => command))];
/** The command that installs a release on the machine. */
const [installing = '', ...otherInstalls] = ofPages.filter((one) => one.startsWith('npm install --global '));
const installedBy = (version: string) => installing.replace(/sluice-\d+\.\d+\.\d+\.tgz/, `sluice-${version}.tgz`);
const releaseOf = (version: string, image: string, userAgent: string) => ({
  version,
  image: `registry.example.com/sluice@sha256:${image.repeat(64)}`,
  userAgent,
  installedBy: installedBy(version),
});
/** The same sources under two versions: what differs is the name by which functions call the API server, and so their bundles. */
const older = releaseOf('0.2.0', 'a', 'sluice');
const newer = releaseOf('0.3.0', 'b', 'sluice-newer');
const typed = ofPages.filter((one) => /^(aws|sluice doctor) /.test(one) && elsewhere[one] === undefined);
/** The words of the one command of the pages that begins with this verb, its question answered by --yes. */
const wordsOf = (verb: string, release: { readonly image: string }) => {
  const [found = '', ...others] = ofPages.filter((one) => one.startsWith(`sluice ${verb}`));
  expect(others).toEqual([]);
  return [...filled(found, release).split(' ').slice(1), '--yes'];
};
const filled = (command: string, { image }: { readonly image: string }) =>
  command
    .replace('--eks-cluster prod', `--eks-cluster ${clusterName}`)
    .replace(/--region \S+/, '--region us-east-1')
    .replace('REGISTRY/sluice@sha256:DIGEST', image)
    .replace('<Stack>', 'Sluice')
    .replace(/<TableName>|<table>/, 'TABLE')
    .replace('<ARN of the sweep function>', 'SWEEP')
    .replace('<rule>', 'SCHEDULE');

// Timeouts are for a busy machine; on a quiet one the whole file takes minutes.
describe('sluice install', { timeout: 1_800_000 }, () => {
  const [gpu, tpu] = drivers;
  let machine: Machine;
  let before: Readonly<Record<string, readonly string[]>>;
  let objectsBefore: readonly string[] = [];

  beforeAll(async () => {
    machine = await startMachine([older, newer], { nodes: 4, pods: 80, drivers: [gpu, tpu] });
    before = await machine.cloud.inventory();
    objectsBefore = await objectsOf(machine);
  }, 900_000);
  afterAll(async () => {
    await machine?.stop();
  });

  const configuration = () => path.join(machine.folder, 'sluice.yaml');

  it('the pages have one command that installs a release, and `sluice version` prints that release', async () => {
    expect(otherInstalls).toEqual([]);
    for (const release of [older, newer])
      expect(done(await machine.sluice(release, 'version', '-o', 'jsonpath={.version}'))).toBe(`${release.version}\n`);
  });

  it('sluice install --dry-run shows what it would do and changes nothing', async () => {
    const words = ['install', '--eks-cluster', clusterName, '--image', older.image, '--dry-run'];
    const said = done(await machine.sluice(older, ...words));
    expect(said).toContain('dry run: nothing was written');
    expect(said).toMatch(/ok {7}feature gate DRADeviceTaints of local: enabled/);
    expect(said).toMatch(/about \d+\.\d\d US dollars a month at list prices, for 4 nodes of 20 devices/);
    expect(existsSync(configuration())).toBe(false);
    expect(await machine.cloud.inventory()).toEqual(before);
    expect(await objectsOf(machine)).toEqual(objectsBefore);
  });

  it('sluice install makes an installation, and ends when the watcher sends heartbeats and the doctor finds nothing wrong', async () => {
    const said = done(await machine.sluice(older, ...wordsOf('install', older)));
    expect(said).toMatch(
      /ok {7}watcher of local: last heartbeat \d+ s ago\n(.*\n)*\d+ ok, \d+ warnings?, 0 problems\n/,
    );
    expect(parse(readFileSync(configuration(), 'utf8'))).toMatchObject({
      stack: { name: 'Sluice', account: '000000000000', region: 'us-east-1' },
      clusters: [{ name: clusterName, auth: { kind: 'eks', clusterName }, accessEntry: true }],
    });
    // Of evict, of report, and the watcher's role.
    expect(machine.eks.entries()).toHaveLength(3);
    expect(machine.kubelet.started).toEqual([older.image]);
  });

  it('sluice install completes an installation that exists, and keeps the file that it wrote', async () => {
    const written = readFileSync(configuration(), 'utf8');
    expect(done(await machine.sluice(older, ...wordsOf('install', older)))).toMatch(/ warnings?, 0 problems\n/);
    expect(readFileSync(configuration(), 'utf8')).toBe(written);
  });

  it('sluice drain device evicts the pod of that device', async () => {
    const { fleet, kubelet } = machine;
    const [{ pool = '', device = '', uid = '' } = {}] = fleet.pods.filter(({ driver }) => driver === gpu);
    const words = ['drain', 'device', `${gpu}/${pool}/${device}`, '--kubeconfig', fleet.kubeconfig, '--yes'];
    expect(done(await machine.sluice(older, ...words))).toContain(device);
    await until('the pod is deleted', () => fleet.deletes().length > 0, {
      seconds: 300,
      seen: () => kubelet.log.slice(-5),
    });
    expect(fleet.deletes().map((call) => call.uid)).toEqual([uid]);
  });

  it.each(typed)('a command of a page ends with status 0: %s', async (command) => {
    const { TableNames: [table = ''] = [] } = await machine.cloud.dynamoDb.send(new ListTablesCommand({}));
    const named = filled(command, older).replace('TABLE', table);
    const { status, said } = await machine.type(older, await withSweep(named, machine, older));
    expect({ status, said: status === 0 ? '' : said }).toEqual({ status: 0, said: '' });
    const restored = /--target-table-name (\S+)/.exec(command)?.[1];
    if (restored) await machine.cloud.dynamoDb.send(new DeleteTableCommand({ TableName: restored }));
  });

  it('every command of a page that needs an account is run, or has a reason why it is not', () => {
    const verbs = ['install', 'upgrade', 'uninstall'].map((verb) => `sluice ${verb}`);
    const isRun = (one: string) =>
      one === installing || typed.includes(one) || verbs.some((verb) => one === verb || one.startsWith(`${verb} `));
    expect(ofPages.filter((one) => !isRun(one)).toSorted()).toEqual(Object.keys(elsewhere).toSorted());
  });

  it('sluice install refuses to install over another release, and names the command that changes it', async () => {
    expect(await machine.sluice(newer, 'install', '--image', newer.image, '--yes')).toEqual({
      status: 1,
      said: `error: stack Sluice in us-east-1 already has release ${older.version}\nto change it: sluice upgrade\n`,
    });
  });

  it('an upgrade and a rollback during an eviction evict every pod once, with watchers upgraded before functions and after them', async () => {
    const { fleet, kubelet, controlPlane } = machine;
    const uids = fleet.pods.filter(({ driver }) => driver === tpu).map(({ uid }) => uid);
    const deletes = () => fleet.deletes().filter(({ uid }) => uids.includes(uid));
    const seen = () => deletes().map(({ userAgent }) => userAgent);
    const setRate = async (perSecond: number) => {
      const words = ['annotate', '--overwrite', 'devicetaintrule/all', `sluice.dev/evictions-per-second=${perSecond}`];
      expect(await controlPlane.kubectl(words)).toMatchObject({ status: 0 });
    };
    /** Slow while parts are replaced, so that pods are left at the end; faster while the test waits for a delete. */
    const [slow, faster] = [0.05, 0.5];
    const nextDelete = async (userAgent: string) => {
      const count = () => seen().filter((one) => one === userAgent).length;
      const sent = count();
      await setRate(faster);
      await until(`${userAgent} evicts`, () => count() > sent, { seconds: 300, seen });
      await setRate(slow);
    };
    await fleet.taint({ name: 'all', selector: { driver: tpu }, perSecond: slow, burst: 1 });
    await nextDelete(older.userAgent);
    const byHand = ['upgrade', 'sluice', 'CHART', '--namespace', 'sluice', '--reuse-values', '--set'];
    done(await machine.helm(newer, ...byHand, `image=${newer.image}`));
    await until('the newer watcher runs', () => kubelet.started.length > 1, { seconds: 300 });
    await nextDelete(older.userAgent);
    const forth = done(await machine.sluice(newer, ...wordsOf('upgrade', newer)));
    expect(forth).toMatch(/applying CRDs(.*\n)*deploying stack(.*\n)*installing the chart/);
    await nextDelete(newer.userAgent);
    const back = done(await machine.sluice(older, 'upgrade', '--image', older.image, '--yes'));
    expect(back).toMatch(/installing the chart(.*\n)*deploying stack/);
    expect(back).not.toContain('applying CRDs');
    expect(kubelet.started).toEqual([older.image, newer.image, older.image]);
    expect(seen().length).toBeLessThan(uids.length);
    await setRate(10);
    await until('all are deleted', () => seen().length >= uids.length, { seconds: 300, seen });
    expect(seen().at(-1)).toBe(older.userAgent);
    const evicted = deletes().map(({ uid }) => uid);
    expect(evicted.toSorted()).toEqual(uids.toSorted());
  });

  it('sluice uninstall leaves nothing in cluster and account, except for what the page names', async () => {
    expect(done(await machine.sluice(older, ...wordsOf('uninstall', older)))).toContain('stack Sluice was deleted');
    const left = await machine.cloud.inventory();
    const stacks = left.stacks?.filter((name) => name !== 'CDKToolkit');
    // gaps.ts: a function that still runs makes its log group again.
    expect({ ...left, stacks, logGroups: before.logGroups }).toEqual(before);
    expect(machine.eks.entries()).toEqual([]);
    const added = async () => (await objectsOf(machine)).filter((one) => !objectsBefore.includes(one));
    await until('nothing of it is left in the cluster', async () => (await added()).length === 0, {
      seconds: 300,
      seen: added,
    });
    expect(await objectsOf(machine)).toEqual(objectsBefore);
    expect(await machine.sluice(older, 'uninstall', '--yes')).toEqual({
      status: 1,
      said: 'error: there is no stack Sluice in us-east-1\nto remove what is in the clusters: --clusters-only\n',
    });
  });
});

function done({ status, said }: Said): string {
  // Standard output comes first, with the findings of the doctor, then the progress.
  if (status !== 0) throw new Error(`it ended with ${status}:\n${said.slice(0, 3000)}\n...\n${said.slice(-1500)}`);
  return said;
}
