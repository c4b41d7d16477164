// DeviceTaintRules on an API server that serves them in one version only: read, reported and written in that version.
import { expect, it, onTestFinished } from 'vitest';
import { createApiClient } from '../../lib/adapters/kubernetes/apiClient.ts';
import { createLiveCluster } from '../../lib/adapters/kubernetes/liveCluster.ts';
import { createProjections } from '../../lib/adapters/kubernetes/projections.ts';
import { createRuleStatus } from '../../lib/adapters/kubernetes/rules.ts';
import { deviceTaintRule } from '../../lib/local/cluster/builders.ts';
import { startCluster } from '../../lib/local/cluster/cluster.ts';
import { builtInResources } from '../../lib/local/cluster/resources.ts';
import { tokenOf } from '../support/clusterUnderTest.ts';

const taint = { key: 'example.com/bad', effect: 'NoExecute' } as const;

it.each(['v1', 'v1beta2', 'v1alpha3'])(
  'a DeviceTaintRule that is served as %s alone is read, reported and projected in that version',
  async (version) => {
    const served = builtInResources.filter(({ plural }) => plural === 'devicetaintrules');
    const cluster = await startCluster({ resources: served.map((one) => ({ ...one, versions: [version] })) });
    onTestFinished(() => cluster.close());
    const client = createApiClient({ endpoint: cluster.url, certificateAuthority: cluster.ca }, tokenOf(cluster.token));
    onTestFinished(() => client.close());
    const apiVersion = `resource.k8s.io/${version}`;
    cluster.seed({ ...deviceTaintRule({ name: 'bad', deviceSelector: { driver: 'd' }, taint }), apiVersion });
    const live = createLiveCluster(client);
    const found = await live.read('DeviceTaintRule', 'bad');
    if (found.kind !== 'Found') throw new Error(JSON.stringify(found));
    expect(found.object).toMatchObject({ deviceSelector: { driver: 'd' }, taint });
    const said = { type: 'EvictionInProgress', status: 'False', reason: 'Completed', message: '1 pod' } as const;
    const condition = { ...said, observedGeneration: 1, lastTransitionTime: 1_800_000_000_000 };
    expect(await createRuleStatus(client).apply(found.object, [condition])).toEqual({ kind: 'Written' });
    expect(await live.read('DeviceTaintRule', 'bad')).toMatchObject({ conditions: [condition] });
    const from = { kind: 'PacedTaintRule', name: 'p', uid: 'uid-p' } as const;
    const told = { name: 'p-1', from, deviceSelector: { driver: 'd' }, taint };
    expect(await createProjections(client).create(told)).toEqual({ kind: 'Written' });
    expect(await createProjections(client).list(from.uid)).toEqual({ kind: 'Found', names: ['p-1'] });
    const paths = cluster.calls.filter(({ status }) => status < 300).map(({ path }) => path);
    const rules = paths.filter((path) => path.includes('/devicetaintrules'));
    expect(rules.every((path) => path.startsWith(`/apis/${apiVersion}/`))).toBe(true);
  },
);
