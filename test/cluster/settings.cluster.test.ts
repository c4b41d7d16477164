// The settings of sluice.yaml on a real control plane: each decides as documented, with what the API of Kubernetes 1.37 allows.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { readConfig } from '../../lib/config/read.ts';
import { deviceTaintRule } from '../../lib/local/cluster/builders.ts';
import { isMap, type JsonMap, listAt, textAt } from '../../lib/local/cluster/object.ts';
import type { Started } from '../../lib/local/start.ts';
import { type ControlPlane, startControlPlane } from './support/controlPlane.ts';
import { applyYaml, createAll, find } from './support/objects.ts';
import { explainFailures, startSluice } from './support/sluice.ts';
import { claimOf, createUser, driver, isGoing } from './support/users.ts';
import { waitFor } from './support/waitFor.ts';

const job = { apiGroup: 'batch', resource: 'jobs', name: 'train', uid: 'job-uid' };
const group = { apiGroup: 'scheduling.k8s.io', resource: 'podgroups', name: 'gang', uid: 'gang-uid' };
/** Each pod is evicted under one setting alone, except the first (under every setting) and the last (under none). */
const users = [
  { name: 'plain' },
  { name: 'of-a-job', reservedFor: [job] },
  { name: 'of-an-extended-resource', isExtended: true },
  { name: 'of-a-group', podGroup: 'gang', reservedFor: [group] },
  { name: 'tolerates-without-an-effect', tolerations: [{ operator: 'Exists' }] },
  { name: 'tolerates', tolerations: [{ operator: 'Exists', effect: 'NoExecute' }] },
];
const rule = deviceTaintRule({
  name: 'bad',
  deviceSelector: { driver },
  taint: { key: 'example.com/bad', effect: 'NoExecute' },
});

describe('settings of sluice.yaml beside a real control plane', () => {
  let controlPlane: ControlPlane;
  let sluice: Started | undefined;
  const start = async (settings: object) => {
    const clusters = [{ name: 'real', endpoint: controlPlane.url, auth: { kind: 'eks', clusterName: 'real' } }];
    const config = readConfig(stringify({ clusters, settings }), 'sluice.yaml');
    sluice = await startSluice(controlPlane, { config, modes: async () => ({ native: 'own', paced: 'own' }) });
  };
  const stop = async () => {
    await sluice?.stop();
    sluice = undefined;
  };
  const going = async () => {
    const all = await Promise.all(users.map(async ({ name }) => ((await isGoing(controlPlane, name)) ? [name] : [])));
    return all.flat();
  };
  /** The rule is reported as completed after its last pod. */
  const evicts = async (names: readonly string[], message: RegExp) => {
    await waitFor(async () => {
      const conditions = listAt(await find(controlPlane.client, rule), 'status', 'conditions').filter(isMap);
      const said = conditions.find(({ type }) => type === 'EvictionInProgress');
      return said?.status === 'False' && message.test(textAt(said, 'message') ?? '') ? true : undefined;
    }, 60_000).catch(() => undefined);
    expect(await going()).toEqual(names);
  };
  const reservations = async (name: string) =>
    listAt(await find(controlPlane.client, claimOf(name)), 'status', 'reservedFor').filter(isMap);

  beforeAll(async () => {
    controlPlane = await startControlPlane({
      components: [],
      featureGates: 'GenericWorkload=true,DRAWorkloadResourceClaims=true',
    });
    for (const one of users) await createUser(controlPlane, one);
    await createAll(controlPlane.client, [rule]);
  });
  explainFailures(() => sluice);
  afterAll(async () => {
    await stop();
    await controlPlane?.stop();
  });

  it('emptyEffectTolerates alone evicts only the pod that its claim is reserved for and that tolerates nothing', async () => {
    await start({
      nonPodConsumers: false,
      extendedResourceClaims: false,
      workloadClaims: false,
      emptyEffectTolerates: true,
    });
    await evicts(['plain'], /^1 pod evicted/);
    await stop();
  });

  it('nonPodConsumers, extendedResourceClaims and workloadClaims also evict pods of a Job, of an extended resource and of a PodGroup', async () => {
    await start({
      nonPodConsumers: true,
      extendedResourceClaims: true,
      workloadClaims: true,
      emptyEffectTolerates: false,
      releaseStaleConsumers: true,
    });
    await evicts(
      users.map(({ name }) => name).filter((name) => name !== 'tolerates'),
      /^4 pods evicted/,
    );
  });

  it('releaseStaleConsumers removes the reservation of a consumer that is gone, and keeps one that exists or cannot be looked up', async () => {
    const container = { name: 'main', image: 'example.com/main' };
    const spec = { suspend: true, template: { spec: { restartPolicy: 'Never', containers: [container] } } };
    const manifest = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'train', namespace: 'default' }, spec };
    await applyYaml(controlPlane, JSON.stringify(manifest));
    const shown = await controlPlane.kubectl(['get', 'job', 'train', '-o', 'jsonpath={.metadata.uid}']);
    const kept: readonly JsonMap[] = [
      { ...job, uid: shown.stdout },
      { apiGroup: 'example.com', resource: 'widgets', name: 'w', uid: 'w-uid' },
    ];
    const gone = { resource: 'configmaps', name: 'gone', uid: 'gone-uid' };
    await createUser(controlPlane, { name: 'stale', reservedFor: [gone, ...kept] });
    await controlPlane.kubectl(['delete', 'pod', 'stale', '--force', '--grace-period=0']);
    const left = await waitFor(async () => {
      await sluice?.installation.aws.fireSchedules();
      const entries = await reservations('stale');
      return entries.some(({ name }) => name === 'gone') ? undefined : entries;
    }, 60_000);
    expect(left).toEqual(expect.arrayContaining([...kept]));
    expect(left).toHaveLength(kept.length);
  });
});
