// What `sluice install` decides before it acts: the order of its parts, preflight checks, the first sluice.yaml, and chart values.
import { describe, expect, it } from 'vitest';
import type { EksFacts } from '../../lib/commands/install/account.ts';
import { orderOf } from '../../lib/commands/install/order.ts';
import { costText } from '../../lib/commands/install/outlook.ts';
import { checkAccount, checkEks, requireNode } from '../../lib/commands/install/preflight.ts';
import { firstConfig, refuseOtherNames } from '../../lib/commands/install/target.ts';
import { chartValues } from '../../lib/commands/install/values.ts';
import { unprotected } from '../../lib/commands/verbs/uninstall.ts';
import { readConfig } from '../../lib/config/read.ts';
import type { Config } from '../../lib/config/schema.ts';
import { readText } from '../house/sources.ts';
import { runAlone } from './support/scene.ts';

const eks: EksFacts = {
  version: '1.36',
  status: 'ACTIVE',
  endpoint: 'https://a.gr7.eu-west-1.eks.amazonaws.com',
  certificateAuthority: 'pem',
  hasPublicEndpoint: true,
  vpc: 'vpc-0a1b',
  subnets: ['subnet-0a1b'],
  authenticationMode: 'API',
  issuer: 'https://oidc.eks.eu-west-1.amazonaws.com/id/A1',
  hasPodIdentity: true,
  hasOidcProvider: true,
};
const cluster = {
  name: 'prod',
  auth: { kind: 'eks', clusterName: 'prod-eks' },
  workloadIdentity: { kind: 'podIdentity', clusterName: 'prod-eks' },
  accessEntry: true,
} as const satisfies Config['clusters'][number];
const image = `registry.example.com/sluice@sha256:${'a'.repeat(64)}`;

describe('the order of the parts', () => {
  it.each([
    [undefined, 'Install', 'Definitions, Stack, Charts'],
    ['', 'Upgrade', 'Definitions, Stack, Charts'],
    ['0.2.0', 'Same', 'Definitions, Stack, Charts'],
    ['0.1.9', 'Upgrade', 'Definitions, Stack, Charts'],
    ['0.2.0-rc.1', 'Upgrade', 'Definitions, Stack, Charts'],
    ['0.10.0', 'RollBack', 'Charts, Stack'],
  ])('a change from release %s to 0.2.0 is of kind %s, in the order %s', (deployed, kind, parts) => {
    const order = orderOf(deployed, '0.2.0');
    expect([order.kind, order.parts.join(', ')]).toEqual([kind, parts]);
  });

  it('a release that is not a version cannot be compared', () => {
    expect(() => orderOf('latest', '0.2.0')).toThrow('releases latest and 0.2.0 cannot be compared');
  });
});

describe('an installation that sluice.yaml describes', () => {
  const stack = { name: 'Sluice', account: '123456789012', region: 'eu-west-1' };
  const written = firstConfig({ name: 'prod', eksName: 'prod-eks' }, stack, eks);
  const found = { file: 'sluice.yaml', config: readConfig(written, 'sluice.yaml') };

  it.each([
    {},
    { eksCluster: 'prod-eks', region: 'eu-west-1' },
    { eksCluster: 'prod-eks', cluster: 'prod', stack: 'Sluice' },
  ])('install accepts options that agree with sluice.yaml: %j', (flags) => {
    expect(() => refuseOtherNames({ flags }, found)).not.toThrow();
  });

  it.each<[Readonly<Record<string, string>>, string]>([
    [{ eksCluster: 'test-eks' }, 'sluice.yaml already lists the clusters, without test-eks'],
    [{ eksCluster: 'prod-eks', cluster: 'live' }, 'sluice.yaml already lists the clusters, without live'],
    [{ cluster: 'live' }, 'sluice.yaml already lists the clusters, without live'],
    [{ region: 'us-east-1' }, 'sluice.yaml has region eu-west-1, but the command line has --region us-east-1'],
    [{ stack: 'Other' }, 'sluice.yaml has stack Sluice, but the command line has --stack Other'],
  ])('install refuses options that contradict sluice.yaml: %j', (flags, message) => {
    expect(() => refuseOtherNames({ flags }, found)).toThrow(message);
  });
});

describe('preflight checks', () => {
  it.each<[string, Partial<EksFacts>, Partial<Config>, RegExp]>([
    ['an EKS cluster that is being created', { status: 'CREATING' }, {}, /its status is CREATING/],
    ['a version without device taints', { version: '1.33' }, {}, /version 1\.33 is older than 1\.34/],
    [
      'an EKS cluster without access entries',
      { authenticationMode: 'CONFIG_MAP' },
      {},
      /CONFIG_MAP does not support access entries/,
    ],
    [
      'a private API server without a network',
      { hasPublicEndpoint: false },
      {},
      /vpc: vpc-0a1b, subnets: \[subnet-0a1b\]/,
    ],
    ['a missing agent of Pod Identity', { hasPodIdentity: false }, {}, /--addon-name eks-pod-identity-agent/],
  ])('install reports %s as a problem with a remedy', (_, more, config, text) => {
    const value = { ...eks, ...more };
    const findings = checkEks('prod-eks', cluster, { kind: 'Found', value }, { clusters: [cluster], ...config });
    expect(findings.map(({ kind }) => kind)).toEqual(['Problem']);
    expect(`${findings[0]?.text} ${findings[0]?.remedy}`).toMatch(text);
  });

  it('a Node in PATH that is older than the program needs is a problem', () => {
    for (const old of ['v20.20.2', 'v22.18.0', '']) expect(() => requireNode(old)).toThrow('in PATH is too old');
    for (const good of ['v22.19.0\n', 'v24.0.0']) expect(requireNode(good)).toBe(good);
  });

  it('a missing OIDC provider is a problem when pods take their roles through it', () => {
    const irsa = { ...cluster, workloadIdentity: { kind: 'irsa', issuer: eks.issuer } } as const;
    const found = { kind: 'Found', value: { ...eks, hasOidcProvider: false } } as const;
    const [finding] = checkEks('prod-eks', irsa, found, { clusters: [irsa] });
    expect(finding?.remedy).toContain(`create-open-id-connect-provider --url ${eks.issuer}`);
  });

  it('a cluster that meets all requirements has one Ok finding', () => {
    const findings = checkEks('prod-eks', cluster, { kind: 'Found', value: eks }, { clusters: [cluster] });
    expect(findings.map(({ kind }) => kind)).toEqual(['Ok']);
  });

  it('credentials of another account than that of sluice.yaml are a problem, and few concurrent executions are a warning', () => {
    const facts = {
      region: 'eu-west-1',
      account: { kind: 'Found', value: '111111111111' },
      concurrency: { kind: 'Found', value: 1000 },
      isBootstrapped: true,
    } as const;
    const other = checkAccount(facts, { clusters: [cluster], stack: { account: '222222222222' } });
    expect(other.map(({ text }) => text)).toEqual([
      'the credentials belong to account 111111111111, but sluice.yaml requires 222222222222',
    ]);
    expect(checkAccount(facts, { clusters: [cluster] }).map(({ kind }) => kind)).toEqual(['Ok', 'Ok']);
    const few = checkAccount({ ...facts, concurrency: { kind: 'Found', value: 10 } }, { clusters: [cluster] });
    expect(few.map(({ kind }) => kind)).toEqual(['Ok', 'Warning']);
  });
});

describe('the first sluice.yaml', () => {
  const stack = { name: 'Sluice', account: '123456789012', region: 'eu-west-1' };
  const written = (more: Partial<EksFacts>) =>
    readConfig(firstConfig({ name: 'prod', eksName: 'prod-eks' }, stack, { ...eks, ...more }), 'sluice.yaml');

  it('the first sluice.yaml is valid and has the values that EKS reports', () => {
    expect(written({})).toEqual({ stack, clusters: [cluster] });
  });

  it('the first sluice.yaml gives pods their roles through the OIDC provider when the agent of Pod Identity is missing', () => {
    const { clusters } = written({ hasPodIdentity: false });
    expect(clusters[0]?.workloadIdentity).toEqual({ kind: 'irsa', issuer: eks.issuer });
  });

  it('the first sluice.yaml puts the functions into the VPC when the API server has only a private address', () => {
    expect(written({ hasPublicEndpoint: false }).network).toEqual({ vpc: 'vpc-0a1b', subnets: ['subnet-0a1b'] });
  });
});

describe('chart values', () => {
  const outputs = new Map([
    ['IngestQueueUrlProd', 'https://sqs.eu-west-1.amazonaws.com/1/Sluice-ingest-prod'],
    ['WatcherRoleArnProd', 'arn:aws:iam::123456789012:role/watcher'],
    ['ExecutorRoleArnProd', 'arn:aws:iam::123456789012:role/executor'],
    ['ExecutorEnvironmentProd', '{"SLUICE_CLUSTER":"prod"}'],
  ]);
  const deployed = { region: 'eu-west-1', outputs, image, settings: undefined };

  it('chart values name no role with Pod Identity, because its association names the role', () => {
    const values = chartValues(cluster, deployed);
    expect(values).toMatchObject({ image, queueUrl: outputs.get('IngestQueueUrlProd'), rbac: { functions: true } });
    expect(values.serviceAccount.annotations).toEqual({});
  });

  it('chart values of an outbound cluster enable the executor with its environment and role, and give the functions no rights', () => {
    const irsa = { kind: 'irsa', issuer: eks.issuer } as const;
    const values = chartValues({ name: 'prod', auth: { kind: 'outbound' }, workloadIdentity: irsa }, deployed);
    expect(values.rbac.functions).toBe(false);
    expect(values.executor).toEqual({
      enabled: true,
      environment: { SLUICE_CLUSTER: 'prod' },
      serviceAccountAnnotations: { 'eks.amazonaws.com/role-arn': 'arn:aws:iam::123456789012:role/executor' },
    });
    expect(values.serviceAccount.annotations).toEqual({
      'eks.amazonaws.com/role-arn': 'arn:aws:iam::123456789012:role/watcher',
    });
  });

  it('chart values grant the rights that the settings need, and no others', () => {
    expect(chartValues(cluster, deployed).rbac).toEqual({ functions: true, projection: true, release: false });
    const settings = { projectRules: false, releaseStaleConsumers: true };
    expect(chartValues(cluster, { ...deployed, settings }).rbac).toEqual({
      functions: true,
      projection: false,
      release: true,
    });
  });

  it('chart values cannot be made from a stack without the queue of the cluster', () => {
    expect(() => chartValues({ ...cluster, name: 'other' }, deployed)).toThrow('no output IngestQueueUrlOther');
  });
});

describe('the command line of an installation', () => {
  it.each([
    [['install'], 'error: no image is given'],
    [['upgrade', '--image', 'sluice:latest'], 'error: the image sluice:latest has no digest'],
    [['install', '--image', image], 'error: there is no sluice.yaml in this folder'],
    [['install', '--image', image, '--eks-cluster', 'prod'], 'error: no AWS region is set'],
    [['upgrade', '--image', image], 'error: there is no sluice.yaml in this folder'],
    [['install', '--image', image, '--region', 'eu-west-1'], 'error: there is no sluice.yaml in this folder'],
    [['uninstall', '--region', 'eu-west-1'], 'error: there is no sluice.yaml in this folder'],
  ])('the command line %j is refused with status 2', async (words, said) => {
    const { status, err } = await runAlone(...words);
    expect({ status, first: err.split('\n')[0] }).toEqual({ status: 2, first: said });
  });
});

it('uninstall removes every protection if it deletes the records, and only that of the stack if it keeps them', () => {
  const config: Config = { clusters: [cluster], removal: { deletionProtection: true } };
  expect(unprotected(config, false).removal).toEqual({ policy: 'destroy' });
  expect(unprotected(config, true).removal).toEqual({ policy: 'retain', terminationProtection: false });
});

it('install fetches the CDK version that this release is tested with', () => {
  const fetched = JSON.parse(readText('deploy/cdk/package.json')) as { dependencies: Record<string, string> };
  const { devDependencies } = JSON.parse(readText('package.json')) as { devDependencies: Record<string, string> };
  expect(Object.keys(fetched.dependencies)).toContain('aws-cdk-lib');
  for (const [name, version] of Object.entries(fetched.dependencies)) expect(devDependencies[name], name).toBe(version);
});

it('the cost estimate assumes that every cluster has the size of the largest one', () => {
  const sizes = [
    { nodes: 100, devices: 800 },
    { nodes: 2, devices: 2 },
  ];
  expect(costText(sizes)).toMatch(
    /^about \d+\.\d\d US dollars .*100 nodes of 8 devices, 5 changes a second and 1000 evictions a month in each of 2/,
  );
});
