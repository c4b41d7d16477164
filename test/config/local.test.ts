// A local run follows sluice.yaml: its settings always, modes and limits only if it names the cluster.
import { describe, expect, it } from 'vitest';
import { localChoices } from '../../lib/config/local.ts';
import { readConfig } from '../../lib/config/read.ts';
import { readEnvironment } from '../../lib/lambda/environment.ts';
import { functionEnvironment, localClusterName } from '../../lib/local/installation.ts';
import { defaultSettings, type InstallationSettings } from '../../lib/model/snapshot.ts';

const endpoint = 'https://api.example.com';
const small = `clusters:
  - name: prod
    endpoint: ${endpoint}
    auth: {kind: eks, clusterName: prod}
`;
const choices = (text: string, of = endpoint) => localChoices(readConfig(text, 'sluice.yaml'), of);
const connection = { endpoint, auth: { kind: 'file', path: '/token' }, native: 'own' } as const;
/** As the functions of a local run read it. */
const told = (text: string) => {
  const { settings, recordDays } = choices(text);
  const cluster = { connection, kubeconfig: 'kubeconfig', stop: async () => {} };
  return readEnvironment(
    functionEnvironment({ cluster, settings, ...(recordDays === undefined ? {} : { recordDays }) }),
    [],
  );
};

describe('a local run', () => {
  it('a local run without a configuration has no settings', () => {
    expect(localChoices(undefined, endpoint)).toEqual({ settings: {} });
  });

  it.each([
    ['workloadClaims', 'true', true],
    ['extendedResourceClaims', 'false', false],
    ['nonPodConsumers', 'true', true],
    ['emptyEffectTolerates', 'true', true],
    ['holdEmptySelector', 'false', false],
    ['releaseStaleConsumers', 'true', true],
    ['projectRules', 'false', false],
    ['projection', '{maxRules: 7}', { maxRules: 7 }],
  ] satisfies (readonly [keyof InstallationSettings, string, unknown])[])(
    'a local run passes the setting %s to its functions: %s',
    (name, value, expected) => {
      const { settings, clusters } = told(`${small}settings: {${name}: ${value}}\n`);
      expect(settings).toEqual({ ...defaultSettings, [name]: expected });
      expect(Object.keys(clusters)).toEqual([localClusterName]);
    },
  );

  it('a local run passes the retention of records to its functions', () => {
    expect(told(`${small}retention: {records: 7}\n`).recordDays).toBe(7);
    expect(told(small).recordDays).toBe(90);
  });

  it.each([
    ['', { native: 'detect', paced: 'own' }],
    ['    inTree: ignore\n', { native: 'own', paced: 'own' }],
    ['    native: shadow\n    paced: off\n', { native: 'shadow', paced: 'off' }],
    ['    maxEvictionsPerSecond: 0\n', { native: 'detect', paced: 'own', maxEvictionsPerSecond: 0 }],
  ])('a local run takes modes and limit of the cluster with its endpoint: %o', (lines, expected) => {
    expect(choices(small + lines)).toEqual({ settings: {}, ...expected });
    expect(choices(small + lines, `${endpoint}:443/`)).toEqual({ settings: {}, ...expected });
  });

  it('a local run takes only the settings if no cluster has its endpoint', () => {
    const text = `${small}    native: off\nsettings: {nonPodConsumers: true}\n`;
    expect(choices(text, 'https://other.example.com')).toEqual({ settings: { nonPodConsumers: true } });
  });
});
