// What `sluice install` decides before it acts: the order, what stands in its way, the first sluice.yaml, the chart's values.
import { describe, expect, it } from 'vitest';
import type { EksFacts } from '../../lib/commands/install/account.ts';
import { orderOf } from '../../lib/commands/install/order.ts';
import { costText } from '../../lib/commands/install/outlook.ts';
import { checkAccount, checkEks } from '../../lib/commands/install/preflight.ts';
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
  ])('from release %s to 0.2.0 is that of %s: %s', (deployed, kind, parts) => {
    const order = orderOf(deployed, '0.2.0');
    expect([order.kind, order.parts.join(', ')]).toEqual([kind, parts]);
  });

  it('is unknown for a release that is no version', () => {
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
  ])('takes the command that wrote the file once more: %j', (flags) => {
    expect(() => refuseOtherNames({ flags }, found)).not.toThrow();
  });

  it.each<[Readonly<Record<string, string>>, string]>([
    [{ eksCluster: 'test-eks' }, 'sluice.yaml names the clusters already'],
    [{ eksCluster: 'prod-eks', cluster: 'live' }, 'sluice.yaml names the clusters already'],
    [{ cluster: 'live' }, 'sluice.yaml names the clusters already'],
    [{ region: 'us-east-1' }, 'sluice.yaml says region eu-west-1, and --region us-east-1'],
    [{ stack: 'Other' }, 'sluice.yaml says stack Sluice, and --stack Other'],
  ])('takes no option that says otherwise: %j', (flags, message) => {
    expect(() => refuseOtherNames({ flags }, found)).toThrow(message);
  });
});

describe('before an installation', () => {
  it.each<[string, Partial<EksFacts>, Partial<Config>, RegExp]>([
    ['an EKS cluster that is being made', { status: 'CREATING' }, {}, /its status is CREATING/],
    ['a version without device taints', { version: '1.33' }, {}, /version 1\.33 is older than 1\.34/],
    ['no access entries', { authenticationMode: 'CONFIG_MAP' }, {}, /CONFIG_MAP knows no access entries/],
    [
      'a private API server without a network',
      { hasPublicEndpoint: false },
      {},
      /vpc: vpc-0a1b, subnets: \[subnet-0a1b\]/,
    ],
    ['no agent of Pod Identity', { hasPodIdentity: false }, {}, /--addon-name eks-pod-identity-agent/],
  ])('%s is a problem with a remedy', (_, more, config, text) => {
    const value = { ...eks, ...more };
    const findings = checkEks('prod-eks', cluster, { kind: 'Found', value }, { clusters: [cluster], ...config });
    expect(findings.map(({ kind }) => kind)).toEqual(['Problem']);
    expect(`${findings[0]?.text} ${findings[0]?.remedy}`).toMatch(text);
  });

  it('no provider for the OIDC issuer is a problem where pods take roles through it', () => {
    const irsa = { ...cluster, workloadIdentity: { kind: 'irsa', issuer: eks.issuer } } as const;
    const found = { kind: 'Found', value: { ...eks, hasOidcProvider: false } } as const;
    const [finding] = checkEks('prod-eks', irsa, found, { clusters: [irsa] });
    expect(finding?.remedy).toContain(`create-open-id-connect-provider --url ${eks.issuer}`);
  });

  it('a cluster as it must be has nothing but an ok', () => {
    const findings = checkEks('prod-eks', cluster, { kind: 'Found', value: eks }, { clusters: [cluster] });
    expect(findings.map(({ kind }) => kind)).toEqual(['Ok']);
  });

  it('credentials of another account than that of sluice.yaml are a problem', () => {
    const facts = {
      region: 'eu-west-1',
      account: { kind: 'Found', value: '111111111111' },
      concurrency: { kind: 'Found', value: 1000 },
      isBootstrapped: true,
    } as const;
    const other = checkAccount(facts, { clusters: [cluster], stack: { account: '222222222222' } });
    expect(other.map(({ text }) => text)).toEqual([
      'the credentials are of 111111111111, sluice.yaml says 222222222222',
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

  it('is valid and says what EKS said', () => {
    expect(written({})).toEqual({ stack, clusters: [cluster] });
  });

  it('has pods take their roles through the OIDC provider where the agent of Pod Identity is missing', () => {
    const { clusters } = written({ hasPodIdentity: false });
    expect(clusters[0]?.workloadIdentity).toEqual({ kind: 'irsa', issuer: eks.issuer });
  });

  it('puts the functions into the VPC of an API server with a private address only', () => {
    expect(written({ hasPublicEndpoint: false }).network).toEqual({ vpc: 'vpc-0a1b', subnets: ['subnet-0a1b'] });
  });
});

describe('values of the chart', () => {
  const outputs = new Map([
    ['IngestQueueUrlProd', 'https://sqs.eu-west-1.amazonaws.com/1/Sluice-ingest-prod'],
    ['WatcherRoleArnProd', 'arn:aws:iam::123456789012:role/watcher'],
    ['ExecutorRoleArnProd', 'arn:aws:iam::123456789012:role/executor'],
    ['ExecutorEnvironmentProd', '{"SLUICE_CLUSTER":"prod"}'],
  ]);
  const deployed = { region: 'eu-west-1', outputs, image, settings: undefined };

  it('name no role with Pod Identity, whose association does', () => {
    const values = chartValues(cluster, deployed);
    expect(values).toMatchObject({ image, queueUrl: outputs.get('IngestQueueUrlProd'), rbac: { functions: true } });
    expect(values.serviceAccount.annotations).toEqual({});
  });

  it('of an outbound cluster start the executor with its environment and role, and give the functions no rights', () => {
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

  it('bind the rights that settings ask for, and no others', () => {
    expect(chartValues(cluster, deployed).rbac).toEqual({ functions: true, projection: true, release: false });
    const settings = { projectRules: false, releaseStaleConsumers: true };
    expect(chartValues(cluster, { ...deployed, settings }).rbac).toEqual({
      functions: true,
      projection: false,
      release: true,
    });
  });

  it('cannot be made of a stack without the queue of the cluster', () => {
    expect(() => chartValues({ ...cluster, name: 'other' }, deployed)).toThrow('no output IngestQueueUrlOther');
  });
});

describe('the command line of an installation', () => {
  it.each([
    [['install'], 'error: no image is named'],
    [['upgrade', '--image', 'sluice:latest'], 'error: the image sluice:latest has no digest'],
    [['install', '--image', image], 'error: no AWS region is named'],
    [['install', '--image', image, '--region', 'eu-west-1'], 'error: there is no sluice.yaml here'],
    [['uninstall', '--region', 'eu-west-1'], 'error: there is no sluice.yaml here'],
  ])('%j is refused before anything is asked', async (words, said) => {
    const { status, err } = await runAlone(...words);
    expect({ status, first: err.split('\n')[0] }).toEqual({ status: 2, first: said });
  });
});

it('what is removed with its records loses what protects it, and without them only the stack does', () => {
  const config: Config = { clusters: [cluster], removal: { deletionProtection: true } };
  expect(unprotected(config, false).removal).toEqual({ policy: 'destroy' });
  expect(unprotected(config, true).removal).toEqual({ policy: 'retain', terminationProtection: false });
});

it('the CDK that is fetched is the one that this release is tested with', () => {
  const fetched = JSON.parse(readText('deploy/cdk/package.json')) as { dependencies: Record<string, string> };
  const { devDependencies } = JSON.parse(readText('package.json')) as { devDependencies: Record<string, string> };
  expect(Object.keys(fetched.dependencies)).toContain('aws-cdk-lib');
  for (const [name, version] of Object.entries(fetched.dependencies)) expect(devDependencies[name], name).toBe(version);
});

it('the cost counts the largest cluster for each of them', () => {
  const sizes = [
    { nodes: 100, devices: 800 },
    { nodes: 2, devices: 2 },
  ];
  expect(costText(sizes)).toMatch(
    /^about \d+\.\d\d US dollars .*100 nodes of 8 devices, 5 changes a second and 1000 evictions a month in each of 2/,
  );
});
