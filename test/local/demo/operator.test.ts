// The keys of the demo, over the API of a simulated cluster.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Cluster, startCluster } from '../../../lib/local/cluster/cluster.ts';
import type { JsonMap } from '../../../lib/local/cluster/object.ts';
import { createOperator, type Operator, taintNode, togglePause } from '../../../lib/local/demo/operator.ts';
import { isPaused, pausedNamespaces } from '../../../lib/local/demo/pauses.ts';

const paused = 'sluice.dev/paused';
const rule = (name: string, annotations: JsonMap = {}): JsonMap => ({
  apiVersion: 'resource.k8s.io/v1',
  kind: 'DeviceTaintRule',
  metadata: { name, annotations },
  spec: { deviceSelector: { driver: 'gpu.example.com' }, taint: { key: 'example.com/bad', effect: 'NoExecute' } },
});

let cluster: Cluster;
let operator: Operator;

beforeEach(async () => {
  cluster = await startCluster();
  operator = createOperator(cluster);
});

afterEach(async () => {
  operator.close();
  await cluster.close();
});

const stops = () => cluster.store.list(cluster.resource('evictionstops'));
const annotationsOf = (name: string) =>
  cluster.store.get(cluster.resource('devicetaintrules'), name)?.metadata.annotations ?? {};

const versionOf = (name: string) =>
  cluster.store.get(cluster.resource('devicetaintrules'), name)?.metadata.resourceVersion;

it('a pause by key stops the whole cluster, even rules that are created after it', async () => {
  await togglePause(cluster, operator);
  await taintNode(operator, 'gpu-01');
  expect(stops()).toHaveLength(1);
  expect(isPaused(cluster)).toBe(true);
});

it('a paused rule does not pause the cluster', async () => {
  cluster.seed(rule('broken', { [paused]: 'true' }));
  expect(isPaused(cluster)).toBe(false);
});

it('the namespaces that are paused are named with their pauses, and no others', () => {
  const namespace = (name: string, annotations: JsonMap) => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, annotations },
  });
  cluster.seed(namespace('serving', { [paused]: 'true', 'pause.sluice.dev/audit': 'until Monday' }));
  cluster.seed(namespace('batch', { [paused]: 'false' }));
  expect(pausedNamespaces(cluster)).toEqual(['serving (sluice.dev/paused; audit (until Monday))']);
});

it('a pause by key writes its EvictionStop, and no annotation of a rule', async () => {
  cluster.seed(rule('broken'));
  await togglePause(cluster, operator);
  await taintNode(operator, 'gpu-01');
  for (const name of ['broken', 'tainted-gpu-01']) expect(annotationsOf(name)).not.toHaveProperty([paused]);
});

it('a stop that the key did not make is named by its first press and ended by its second, and no rule is changed', async () => {
  cluster.seed(rule('broken'));
  await togglePause(cluster, operator);
  const spec = { reason: 'disks fail' };
  cluster.seed({ apiVersion: 'sluice.dev/v1alpha1', kind: 'EvictionStop', metadata: { name: 'by-hand' }, spec });
  const before = versionOf('broken');
  const first = await togglePause(cluster, operator);
  expect(first.said).toMatch(
    /^not made by this key: EvictionStop by-hand \(disks fail.*\); press p again to delete it and resume$/,
  );
  expect(stops()).toHaveLength(2);
  cluster.seed({ apiVersion: 'sluice.dev/v1alpha1', kind: 'EvictionStop', metadata: { name: 'later' }, spec });
  const second = await togglePause(cluster, operator, first.named);
  expect(stops()).toHaveLength(3);
  await togglePause(cluster, operator, second.named);
  expect(versionOf('broken')).toBe(before);
  expect(stops()).toHaveLength(0);
  expect(isPaused(cluster)).toBe(false);
});
