// What is refused before anything is deployed, and what the error says to do about it.
import { describe, expect, it } from 'vitest';
import { checkProps } from '../../infra/checks.ts';
import { sluicePropsFrom } from '../../infra/context.ts';
import type { ClusterProps, SluiceProps } from '../../infra/props.ts';
import { selfSignedCertificate } from '../../lib/local/cluster/certificate.ts';
import { cluster } from './support/installation.ts';

const refused = (props: Partial<SluiceProps>, stackName = 'Sluice') => {
  try {
    checkProps({ stackName, account: '123456789012', region: 'eu-west-1' }, { clusters: [cluster], ...props });
  } catch (error) {
    return error instanceof Error ? error.message.replace('Sluice cannot be deployed like this: ', '') : String(error);
  }
  return 'accepted';
};
const withCluster = (overrides: Partial<ClusterProps> | object) => ({
  clusters: [{ ...cluster, ...overrides } as ClusterProps],
});
const { certificate } = selfSignedCertificate({
  commonName: 'kubernetes',
  hosts: ['api.example.com'],
  notBefore: new Date('2026-01-01'),
  notAfter: new Date('2036-01-01'),
});
/** As large as the authority of an EKS cluster. */
const authority = certificate.repeat(Math.ceil(1100 / certificate.length));
const many = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ ...cluster, name: `c${i}`, certificateAuthority: authority }));

describe('props', () => {
  it.each([
    ['one cluster with a certificate', { clusters: many(1) }],
    ['sixty clusters with certificates', { clusters: many(60) }],
    ['a port', withCluster({ endpoint: 'https://10.0.0.1:6443' })],
    ['limits within AWS quotas', { limits: { evict: { maxConcurrency: 2, timeout: 900 } } }],
    [
      'an access entry in the same region',
      withCluster({ endpoint: 'https://A.gr7.eu-west-1.eks.amazonaws.com', accessEntry: true }),
    ],
  ])('%s is accepted', (_, props) => {
    expect(refused(props)).toBe('accepted');
  });

  it.each<[string, Partial<SluiceProps>, string]>([
    ['no cluster', { clusters: [] }, '`clusters` is empty: name at least one'],
    [
      'a name with capitals',
      withCluster({ name: 'Prod' }),
      'cluster "Prod": the name must be of lower-case letters, digits and dashes, at most 40',
    ],
    [
      'two names that differ in dashes only',
      {
        clusters: [
          { ...cluster, name: 'a-B'.toLowerCase() },
          { ...cluster, name: 'a-b' },
        ],
      },
      'cluster "a-b": the name is taken; a difference in dashes alone does not count',
    ],
    [
      'plain HTTP',
      withCluster({ endpoint: 'http://10.0.0.1' }),
      'cluster "prod": endpoint "http://10.0.0.1" must be https://<host>[:<port>]',
    ],
    [
      'a path in the endpoint',
      withCluster({ endpoint: 'https://host/api' }),
      'cluster "prod": endpoint "https://host/api" must be https://<host>[:<port>]',
    ],
    [
      'a certificate as a kubeconfig has it',
      withCluster({ certificateAuthority: 'LS0tLS1CRUdJTi' }),
      'cluster "prod": certificateAuthority must be PEM; a kubeconfig has it in base64, decode that first',
    ],
    [
      'a certificate that was cut off',
      withCluster({ certificateAuthority: '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n' }),
      expect.stringMatching(
        /^cluster "prod": certificate 1 of certificateAuthority cannot be read \(.+\): take it anew from aws eks describe-cluster, or from a kubeconfig and decoded$/,
      ),
    ],
    [
      'a role of another account',
      withCluster({ auth: { kind: 'outbound' }, executorRoleArn: 'arn:aws:iam::999999999999:role/executor' }),
      'cluster "prod": executorRoleArn "arn:aws:iam::999999999999:role/executor" is of account 999999999999, the stack of 123456789012: name a role of account 123456789012',
    ],
    [
      'an access entry in another region',
      withCluster({ endpoint: 'https://ABC.gr7.us-east-1.eks.amazonaws.com', accessEntry: true }),
      'cluster "prod": endpoint "https://ABC.gr7.us-east-1.eks.amazonaws.com" is in us-east-1, the stack in eu-west-1: deploy a stack in us-east-1, or leave accessEntry out and make the entry by hand',
    ],
    [
      'an unknown way to log in',
      withCluster({ auth: { kind: 'password' } }),
      'cluster "prod": auth.kind must be eks, file or outbound',
    ],
    [
      'a limit that is no rate',
      withCluster({ maxEvictionsPerSecond: 1e9 }),
      'cluster "prod": maxEvictionsPerSecond 1000000000 must be a number from 0 to 10000',
    ],
    ['an unknown word', withCluster({ inTree: 'no' }), 'cluster "prod": inTree "no" must be heed or ignore'],
    ['an unknown mode', withCluster({ native: 'both' }), 'cluster "prod": native "both" must be own, shadow or off'],
    ['an unknown mode', withCluster({ paced: 'on' }), 'cluster "prod": paced "on" must be own, shadow or off'],
    [
      'an access entry outside EKS',
      withCluster({ auth: { kind: 'file', path: '/token' }, accessEntry: true }),
      'cluster "prod": accessEntry is for EKS clusters: set auth.kind to eks, or leave it out',
    ],
    [
      'a user where a role is wanted',
      withCluster({ watcherRoleArn: 'arn:aws:iam::123456789012:user/x' }),
      'cluster "prod": watcherRoleArn "arn:aws:iam::123456789012:user/x" must be the ARN of an IAM role',
    ],
    [
      'a single consumer, which AWS does not offer',
      { limits: { pace: { maxConcurrency: 1 } } },
      'pace.maxConcurrency is 1: it must be a whole number from 2 to 1000',
    ],
    [
      'an unknown stage',
      { limits: { eject: { timeout: 3 } } } as Partial<SluiceProps>,
      'limits: there is no stage "eject"',
    ],
    [
      'an unknown limit',
      { limits: { pace: { retries: 3 } } } as Partial<SluiceProps>,
      'there is no limit "pace.retries": timeout, memoryMiB, batchSize, maxConcurrency',
    ],
    [
      'a visibility that is no number',
      { visibilityTimeout: Number.NaN },
      'visibilityTimeout is NaN: it must be a whole number from 1 to 43200',
    ],
    [
      'an unknown log level',
      { logLevel: 'LOUD' } as unknown as Partial<SluiceProps>,
      'log level "LOUD" is not one of DEBUG, INFO, WARN, ERROR',
    ],
    [
      'more certificates than a command can hand over',
      { clusters: many(80) },
      expect.stringMatching(
        /^the connections of 80 clusters take \d+ bytes, more than 90000: spread the clusters over several stacks$/,
      ),
    ],
  ])('%s is refused', (_, props, message) => {
    expect(refused(props)).toEqual(message);
  });

  it('a queue name that AWS would refuse is named', () => {
    expect(refused({}, 'S'.repeat(70))).toContain('is longer than 75: shorten the stack');
  });

  it('everything that is wrong is said at once', () => {
    expect(refused({ ...withCluster({ name: '_', native: 'x' }), maxReceiveCount: 0 }).split('; ')).toHaveLength(3);
  });
});

describe('context', () => {
  const read = (context: Record<string, unknown>) => sluicePropsFrom({ tryGetContext: (name) => context[name] });

  it('with nothing set there is one example cluster, so that synthesis needs nothing', () => {
    const props = read({});
    expect(props.clusters.map((one) => one.name)).toEqual(['local']);
    expect(() => checkProps({ stackName: 'Sluice' }, props)).not.toThrow();
  });

  it('clusters come as JSON from the command line or as they are from cdk.json', () => {
    const { native: _, ...rest } = cluster;
    expect(read({ clusters: JSON.stringify([rest]) }).clusters).toEqual([cluster]);
    expect(read({ clusters: [cluster] }).clusters).toEqual([cluster]);
  });

  it('limits of single stages come as JSON, and those of the others stay', () => {
    const limits = { evict: { maxConcurrency: 10 } };
    expect(read({ limits: JSON.stringify(limits) }).limits).toEqual(limits);
    expect(read({ limits }).limits).toEqual(limits);
    expect(read({}).limits).toBeUndefined();
    expect(() => checkProps({ stackName: 'Sluice' }, read({ limits: '{"evikt":{}}' }))).toThrow(
      'there is no stage "evikt"',
    );
  });

  it('numbers and switches come as text', () => {
    expect(read({ nossl: '1', visibilityTimeout: '6', maxReceiveCount: '3', logLevel: 'DEBUG' })).toMatchObject({
      enforceSSL: false,
      visibilityTimeout: 6,
      maxReceiveCount: 3,
      logLevel: 'DEBUG',
    });
    expect(read({ nossl: '0' }).enforceSSL).toBe(true);
  });

  it.each([
    [{ clusters: '[{' }, /^context clusters: it is not JSON \(/],
    [{ limits: '{"evict":' }, /^context limits: it is not JSON \(/],
    [{ limits: '[]' }, /^context limits: it must be a JSON object of stages/],
    [{ limits: { evict: 10 } }, /^context limits: it must be a JSON object of stages/],
    [{ clusters: '{}' }, 'context clusters: it must be a JSON list of objects with name, endpoint, auth and native'],
    [{ clusters: '[{"endpoint":"https://a"}]' }, 'context clusters: it must be a JSON list'],
    [{ nossl: 'maybe' }, 'context nossl: "maybe" must be 1 or 0'],
  ])('%o is refused', (context, message) => {
    expect(() => read(context)).toThrow(message);
  });
});
