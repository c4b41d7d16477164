// DeviceTaintRules on real API servers that serve them in one version only: read, acted on, and reported in that version.
import { describe, expect, it, onTestFinished } from 'vitest';
import { deviceTaintRule } from '../../lib/local/cluster/builders.ts';
import { isMap, listAt } from '../../lib/local/cluster/object.ts';
import { startControlPlane } from './support/controlPlane.ts';
import { createAll, find } from './support/objects.ts';
import { startSluice } from './support/sluice.ts';
import { createUser, driver, isGoing } from './support/users.ts';
import { waitFor } from './support/waitFor.ts';

const versions = ['v1', 'v1beta2', 'v1alpha3'];
const group = 'resource.k8s.io';

describe.each(versions)('an API server that serves DeviceTaintRules as %s alone', (version) => {
  it('Sluice evicts the pods of a tainted device, and reports it on the rule', async () => {
    const served = [
      ...versions.map((one) => `${group}/${one}=true`),
      ...versions.map((one) => `${group}/${one}/devicetaintrules=${one === version}`),
    ];
    const environment = { RUNTIME_CONFIG: served.join(',') };
    const controlPlane = await startControlPlane({ components: [], environment });
    onTestFinished(() => controlPlane.stop());
    const kinds = await Promise.all(
      versions.map(async (one) => {
        const { body } = await controlPlane.client.call('GET', `/apis/${group}/${one}`);
        return listAt(body, 'resources').some((kind) => isMap(kind) && kind.name === 'devicetaintrules');
      }),
    );
    expect(kinds).toEqual(versions.map((one) => one === version));
    for (const name of ['bad', 'well']) await createUser(controlPlane, { name });
    const sluice = await startSluice(controlPlane, { modes: async () => ({ native: 'own', paced: 'own' }) });
    onTestFinished(() => sluice.stop());
    const taint = { key: 'example.com/bad', effect: 'NoExecute' } as const;
    const rule = {
      ...deviceTaintRule({ name: 'bad', deviceSelector: { driver, device: 'bad' }, taint }),
      apiVersion: `${group}/${version}`,
    };
    await createAll(controlPlane.client, [rule]);
    await waitFor(async () => ((await isGoing(controlPlane, 'bad')) ? true : undefined), 40_000);
    const said = await waitFor(async () => {
      const conditions = listAt(await find(controlPlane.client, rule), 'status', 'conditions').filter(isMap);
      return conditions.find((one) => one.type === 'EvictionInProgress' && one.reason === 'Completed');
    }, 60_000);
    expect(said).toMatchObject({ status: 'False', message: '1 pod evicted since starting the controller.' });
    expect(await isGoing(controlPlane, 'well')).toBe(false);
  });
});
