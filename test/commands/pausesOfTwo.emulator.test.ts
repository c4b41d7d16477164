// `sluice pauses` for an installation with two clusters: lists every kind of pause in both clusters, each pause once.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { project } from '../../lib/adapters/kubernetes/project.ts';
import { type KubeObject, textAt } from '../../lib/local/cluster/object.ts';
import { clusterIdOf } from '../../lib/model/identity.ts';
import type { ObjectKind } from '../../lib/model/projection.ts';
import { noteIncarnation } from '../../lib/state/incarnationRows.ts';
import { replaceRow } from '../../lib/state/objectRows.ts';
import type { State } from '../../lib/state/state.ts';
import { noteStops } from '../../lib/state/stopRows.ts';
import { gpuRule, objectsOf, type Scene, startScene } from './support/scene.ts';
import { startTableScene, type TableScene } from './support/tableScene.ts';

const policy = {
  apiVersion: 'sluice.dev/v1alpha1',
  kind: 'EvictionPolicy',
  metadata: { name: 'gently' },
  spec: { taints: { keys: ['example.com/unhealthy'] } },
};
const paced = {
  apiVersion: 'sluice.dev/v1alpha1',
  kind: 'PacedTaintRule',
  metadata: { name: 'old-driver' },
  spec: { deviceSelector: { driver: 'x' }, taints: [{ key: 'a', effect: 'None' }], paused: true },
};
const kinds: Readonly<Record<string, ObjectKind>> = {
  namespaces: 'Namespace',
  devicetaintrules: 'DeviceTaintRule',
  pacedtaintrules: 'PacedTaintRule',
  evictionpolicies: 'EvictionPolicy',
};

let table: TableScene;
let east: Scene;
let west: Scene;
let states: Readonly<Record<'east' | 'west', State>>;
beforeAll(async () => {
  [table, east, west] = await Promise.all([
    startTableScene(),
    startScene({ hasStops: true }),
    startScene({ hasStops: true }),
  ]);
  states = { east: await mirrored('east', east), west: await mirrored('west', west) };
  const connection = (name: string) =>
    `{name: ${name}, endpoint: 'https://${name}.example.com', auth: {kind: eks, clusterName: ${name}}}`;
  writeFileSync(path.join(table.home, 'sluice.yaml'), `clusters: [${['east', 'west'].map(connection).join(', ')}]\n`);
}, 180_000);
afterAll(async () => {
  await Promise.all([table?.stop(), east?.stop(), west?.stop()]);
});

/** Sets every kind of pause that a command sets through a kubeconfig, and one that only an edit of an object sets. */
async function pauseInside(scene: Scene): Promise<void> {
  for (const object of [gpuRule, policy, paced]) scene.cluster.seed(object);
  for (const words of [
    '--all',
    'rule unhealthy-gpus',
    'policy gently',
    'namespace team-b',
    'taint example.com/unhealthy --name hot',
  ]) {
    const said = await scene.sluice('pause', ...words.split(' '), '--why', 'audit');
    expect(said, words).toMatchObject({ status: 0 });
  }
}

/** Stores the objects of the cluster as ingest stores them, under the incarnation of that cluster. */
async function mirrored(name: string, scene: Scene): Promise<State> {
  await pauseInside(scene);
  const uid = objectsOf(scene.cluster, 'namespaces').find(({ metadata }) => metadata.name === 'kube-system')?.metadata
    .uid;
  const state = { table: table.state.table, cluster: clusterIdOf(name, uid) };
  const now = Date.now();
  await noteIncarnation(state, { at: now, now });
  for (const [plural, kind] of Object.entries(kinds))
    for (const object of objectsOf(scene.cluster, plural)) await store(state, kind, object, now);
  const [stop] = objectsOf(scene.cluster, 'evictionstops');
  const reason = textAt(stop ?? {}, 'spec', 'reason') ?? '';
  await noteStops(state, { why: 'stopped', stops: [{ name: 'manual', uid: 'u', reason }], now });
  return state;
}

async function store(state: State, kind: ObjectKind, object: KubeObject, now: number): Promise<void> {
  const read = project(kind, object);
  if (read.kind !== 'Projected') throw new Error(`${kind} ${object.metadata.name} is ${read.kind}`);
  const { uid, resourceVersion } = read.object;
  await replaceRow(state, read.object, { seen: { uid, resourceVersion }, now });
}

/** The output of `sluice pauses`. */
async function pauses(env: Readonly<Record<string, string>>, ...words: readonly string[]) {
  const config = { SLUICE_CONFIG: path.join(table.home, 'sluice.yaml') };
  const said = await table.run({ ...config, ...env }, 'pauses', '--table', 'table', ...words);
  expect(said).toMatchObject({ status: 0, err: '' });
  return said.out;
}

const inside = (of: string) => [
  [`DeviceTaintRule unhealthy-gpus${of}`, 'manual', 'ada', 'audit'],
  [`PacedTaintRule old-driver${of}`, 'spec.paused', '', ''],
  [`EvictionPolicy gently${of}`, 'manual', 'ada', 'audit'],
  [`EvictionPolicy pause-example-com-unhealthy-9dbdda79${of}`, 'hot', 'ada', 'audit'],
  [`Namespace team-b${of}`, 'manual', 'ada', 'audit'],
];
const noted = (cluster: string) => [
  [`cluster ${cluster}`, 'EvictionStop manual', 'ada', 'audit'],
  ...inside(` of cluster ${cluster}`),
];
const stored = [
  ['every cluster', 'incident', 'ada', 'smoke'],
  ['cluster east', 'manual', 'ada', ''],
  ['cluster west', 'half', 'ada', ''],
];

describe('sluice pauses with two clusters', { timeout: 120_000 }, () => {
  const rows = async (env: Readonly<Record<string, string>>) => {
    const { items } = JSON.parse(await pauses(env, '-o', 'json')) as { items: readonly Record<string, string>[] };
    return items.map(({ what = '', name = '', by = '', why = '' }) => [what, name, by, why]);
  };

  beforeAll(async () => {
    const config = { SLUICE_CONFIG: path.join(table.home, 'sluice.yaml') };
    for (const words of ['--all --name incident --why smoke', 'cluster east', 'cluster west --name half'])
      expect(await table.run(config, 'pause', ...words.split(' '), '--table', 'table')).toMatchObject({ status: 0 });
  });

  it('pauses lists those of the state table and of the mirrored objects when no kubeconfig is named', async () => {
    expect((await rows({})).toSorted()).toEqual([...stored, ...noted('east'), ...noted('west')].toSorted());
  });

  it('pauses reads the cluster of the kubeconfig from its API server and lists each pause once', async () => {
    const live = [['cluster of context sluice', 'manual', 'ada', 'audit'], ...inside('')];
    const found = await rows({ KUBECONFIG: west.kubeconfig });
    const named = found.map(([what = '', ...rest]) => [what.replace(/context \S+$/, 'context sluice'), ...rest]);
    expect(named.toSorted()).toEqual([...stored, ...noted('east'), ...live].toSorted());
  });

  it('pauses prints every output format and drops a pause that is resumed', async () => {
    const lines = (await pauses({}, '-o', 'name')).trimEnd().split('\n');
    expect(lines).toContain('cluster/west:half');
    expect(lines).toContain('cluster/west/pacedtaintrule.sluice.dev/old-driver:spec.paused');
    expect(lines.filter((one) => one.includes(' '))).toEqual([]);
    expect(lines).toHaveLength(stored.length + 2 * noted('east').length);
    for (const format of ['table', 'wide', 'yaml', 'jsonpath={.items[*].what}'])
      expect(await pauses({}, '-o', format), format).toContain('PacedTaintRule old-driver of cluster west');
    const resumed = await table.run(
      { SLUICE_CLUSTER: 'west' },
      'resume',
      'cluster',
      'west',
      '--name',
      'half',
      '--table',
      'table',
    );
    expect(resumed).toMatchObject({ status: 0 });
    expect(await pauses({}, '-o', 'name')).not.toContain('cluster/west:half');
    expect(states.east.cluster).not.toBe(states.west.cluster);
  });
});
