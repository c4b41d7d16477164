// What the construct refuses before anything is deployed, and what the error says to do about it.
import { describe, expect, it } from 'vitest';
import { checkProps } from '../../infra/checks.ts';
import type { ClusterProps, SluiceProps } from '../../infra/props.ts';
import { selfSignedCertificate } from '../../lib/local/cluster/certificate.ts';
import { cluster, clusterOf } from './support/installation.ts';

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
  Array.from({ length: count }, (_, i) => clusterOf(`c${i}`, { certificateAuthority: authority }));

describe('props', () => {
  it.each([
    ['one cluster with a certificate', { clusters: many(1) }],
    ['sixty clusters with certificates', { clusters: many(60) }],
    [
      'executors of two clusters that have one address inside',
      {
        clusters: ['a', 'b'].map((name) =>
          clusterOf(name, { endpoint: 'https://kubernetes.default.svc', auth: { kind: 'outbound' as const } }),
        ),
      },
    ],
    ['a port', withCluster({ endpoint: 'https://10.0.0.1:6443' })],
    ['limits within AWS quotas', { limits: { evict: { maxConcurrency: 2, timeout: 900 } } }],
    [
      'an access entry in the same region',
      withCluster({ endpoint: 'https://A.gr7.eu-west-1.eks.amazonaws.com', accessEntry: true }),
    ],
  ])('the construct accepts props with %s', (_, props) => {
    expect(refused(props)).toBe('accepted');
  });

  it.each<[string, Partial<SluiceProps>, string]>([
    [
      'access entries of one EKS cluster twice',
      {
        clusters: ['a', 'b', 'c'].map((name) =>
          clusterOf(name, {
            auth: { kind: 'eks' as const, clusterName: name === 'b' ? 'other' : 'one' },
            accessEntry: true,
          }),
        ),
      },
      'clusters[2].accessEntry: cluster a makes the access entries of EKS cluster one already: leave it out here',
    ],
    [
      'two clusters of one API server, written in two ways',
      {
        clusters: [
          clusterOf('a'),
          clusterOf('b', { endpoint: 'https://A.example.com:443/' }),
          clusterOf('c', { endpoint: 'https://a.example.com:6443' }),
        ],
      },
      'clusters[1].endpoint: https://a.example.com is cluster a already: name another one, or leave the cluster out',
    ],
    ['no cluster', { clusters: [] }, 'clusters: it must name at least one cluster'],
    [
      'a name with capitals',
      withCluster({ name: 'Prod' }),
      'clusters[0].name: "Prod" must have lower-case letters, digits and dashes only, at most 40',
    ],
    [
      'a name that contains -ingest-',
      withCluster({ name: 'a-ingest-b' }),
      'clusters[0].name: "a-ingest-b" must not contain -ingest-, by which the names of queues are told apart',
    ],
    [
      'two names that differ in dashes only',
      {
        clusters: [clusterOf('a-B'.toLowerCase()), clusterOf('a-b', { endpoint: 'https://other.example.com' })],
      },
      'clusters[1].name: "a-b" is taken; a difference in dashes alone does not count',
    ],
    [
      'plain HTTP',
      withCluster({ endpoint: 'http://10.0.0.1' }),
      'clusters[0].endpoint: "http://10.0.0.1" must be https://HOST[:PORT]',
    ],
    [
      'a path in the endpoint',
      withCluster({ endpoint: 'https://host/api' }),
      'clusters[0].endpoint: "https://host/api" must be https://HOST[:PORT]',
    ],
    [
      'a certificate as a kubeconfig has it',
      withCluster({ certificateAuthority: 'LS0tLS1CRUdJTi' }),
      'clusters[0].certificateAuthority: it must be PEM; kubeconfigs and EKS have it in base64, decode that first',
    ],
    [
      'a certificate that was cut off',
      withCluster({ certificateAuthority: '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n' }),
      expect.stringMatching(
        /^clusters\[0\]\.certificateAuthority: certificate 1 cannot be read \(.+\): copy it again from the kubeconfig, decoded$/,
      ),
    ],
    [
      'a role of another account',
      withCluster({ auth: { kind: 'outbound' }, executorRoleArn: 'arn:aws:iam::999999999999:role/executor' }),
      'clusters[0].executorRoleArn: "arn:aws:iam::999999999999:role/executor" is of account 999999999999, the stack of 123456789012: name a role of account 123456789012',
    ],
    [
      'an access entry in another region',
      withCluster({ endpoint: 'https://ABC.gr7.us-east-1.eks.amazonaws.com', accessEntry: true }),
      'clusters[0].endpoint: "https://ABC.gr7.us-east-1.eks.amazonaws.com" is in us-east-1, the stack in eu-west-1: deploy a stack in us-east-1, or leave accessEntry out and make the entry by hand',
    ],
    [
      'an unknown way to log in',
      withCluster({ auth: { kind: 'password' } }),
      'clusters[0].auth.kind: "password" must be eks, file or outbound',
    ],
    [
      'a limit that is no rate',
      withCluster({ maxEvictionsPerSecond: 1e9 }),
      'clusters[0].maxEvictionsPerSecond: 1000000000 must be a number from 0 to 10000',
    ],
    ['an unknown value of inTree', withCluster({ inTree: 'no' }), 'clusters[0].inTree: "no" must be heed or ignore'],
    ['an unknown mode', withCluster({ native: 'both' }), 'clusters[0].native: "both" must be own, shadow or off'],
    [
      'an unknown mode',
      withCluster({ paced: 'on' }),
      'clusters[0].paced: "on" must be own, shadow or off; did you mean "own"?',
    ],
    [
      'an access entry outside EKS',
      withCluster({ auth: { kind: 'file', path: '/token' }, accessEntry: true }),
      'clusters[0].accessEntry: access entries are for auth.kind: eks: set that, or leave accessEntry out',
    ],
    [
      'the ARN of a user instead of a role',
      withCluster({ watcherRoleArn: 'arn:aws:iam::123456789012:user/x' }),
      'clusters[0].watcherRoleArn: "arn:aws:iam::123456789012:user/x" must be the ARN of an IAM role, such as arn:aws:iam::123456789012:role/sluice',
    ],
    [
      'a single consumer, which AWS does not offer',
      { limits: { evict: { maxConcurrency: 1 } } },
      'limits.evict.maxConcurrency: 1 must be a whole number from 2 to 1000',
    ],
    [
      'an unknown stage',
      { limits: { eject: { timeout: 3 } } } as Partial<SluiceProps>,
      expect.stringMatching(/^limits\.eject: there is no such key; (did you mean "evict"|known: ingest, )/),
    ],
    [
      'an unknown limit',
      { limits: { evict: { retries: 3 } } } as Partial<SluiceProps>,
      'limits.evict.retries: there is no such key; known: timeout, memoryMiB, batchSize, maxConcurrency',
    ],
    [
      'a visibility that is no number',
      { visibilityTimeout: Number.NaN },
      'limits.visibilityTimeout: NaN must be a whole number from 1 to 43200',
    ],
    [
      'an unknown log level',
      { logLevel: 'LOUD' } as unknown as Partial<SluiceProps>,
      'logLevel: "LOUD" must be DEBUG, INFO, WARN or ERROR',
    ],
    [
      'a timeout longer than the visibility timeout',
      { limits: { evict: { timeout: 60 } }, visibilityTimeout: 30 },
      'limits.evict.timeout: it is 60 s, and messages are delivered again after 30 s (limits.visibilityTimeout): AWS refuses that',
    ],
    [
      'a setting of a projection that is off',
      { settings: { projectRules: false, projection: { maxRules: 3 } } },
      'settings.projection: it has no effect while settings.projectRules is false: leave one of them out',
    ],
    [
      'an unknown setting',
      { settings: { nonPodConsumer: true } } as unknown as Partial<SluiceProps>,
      'settings.nonPodConsumer: there is no such key; did you mean "nonPodConsumers"?',
    ],
    [
      'more certificates than fit into a command',
      { clusters: many(80) },
      expect.stringMatching(
        /^the connections of 80 clusters take \d+ bytes, more than 90000: spread the clusters over several stacks$/,
      ),
    ],
  ])('the construct throws for props with %s', (_, props, message) => {
    expect(refused(props)).toEqual(message);
  });

  it('the construct throws for a queue name that AWS would refuse', () => {
    expect(refused({}, 'S'.repeat(70))).toContain('is longer than 75: shorten the stack');
  });

  it('the construct reports all wrong props at once', () => {
    expect(refused({ ...withCluster({ name: '_', native: 'x' }), maxReceiveCount: 0 }).split('; ')).toHaveLength(3);
  });
});
