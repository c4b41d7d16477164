// Findings about an installation: correct parts are ok, and each problem is reported with the wrong value and a remedy.
import { describe, expect, it } from 'vitest';
import { checkInstallation } from '../../lib/doctor/checkInstallation.ts';
import { clustersOf } from '../../lib/doctor/environmentFacts.ts';
import type { ClusterFacts, FunctionFacts, InstallationFacts, QueueFacts } from '../../lib/doctor/facts.ts';
import { render } from '../../lib/doctor/finding.ts';

const now = 1_800_000_000_000;
const evictUrl = 'https://sqs.eu-west-1.amazonaws.com/123456789012/Sluice-evict';
const evict: FunctionFacts = {
  output: 'EvictFunctionName',
  name: 'Sluice-Evict',
  state: 'Active',
  environment: { SLUICE_TABLE: 'Sluice-State', SLUICE_EVICT_QUEUE_URL: evictUrl },
  mappings: [{ queueArn: 'arn:aws:sqs:eu-west-1:123456789012:Sluice-evict', state: 'Enabled' }],
};
const queue: QueueFacts = {
  output: 'EvictQueueUrl',
  url: evictUrl,
  arn: 'arn:aws:sqs:eu-west-1:123456789012:Sluice-evict',
  waiting: 2,
  visibilityTimeout: 900,
  deadLetterQueue: 'arn:aws:sqs:eu-west-1:123456789012:Sluice-evict_dead',
};
const dead: QueueFacts = { ...queue, output: 'EvictQueueDeadLettersUrl', url: `${evictUrl}_dead`, waiting: 0 };
const cluster: ClusterFacts = {
  name: 'prod',
  endpoint: 'https://prod.example.com',
  heardAt: now - 4000,
  certificateAuthority: 'CA',
  eks: { kind: 'Found', value: { endpoint: 'https://prod.example.com', certificateAuthority: 'CA', version: '1.36' } },
  withoutAccess: [],
};
const arn = 'arn:aws:iam::123456789012:role/executor';
const outbound: ClusterFacts = { name: 'inside', endpoint: 'https://inside', heardAt: now - 4000, withoutAccess: [] };
const found = <T>(value: T) => ({ kind: 'Found', value }) as const;
const good: InstallationFacts = {
  stack: 'Sluice',
  region: 'eu-west-1',
  account: found('123456789012'),
  status: found('UPDATE_COMPLETE'),
  functions: [{ ...found(evict), output: evict.output }],
  queues: [queue, dead].map((one) => ({ ...found(one), output: one.output, url: one.url })),
  table: found({ name: 'Sluice-State', status: 'ACTIVE', timeToLive: 'ENABLED', pointInTimeRecovery: 'ENABLED' }),
  clusters: [cluster],
  now,
};
const executorWith = (trust: string) => ({ clusters: [{ ...outbound, executor: { role: found({ arn, trust }) } }] });
const withFunction = (change: Partial<FunctionFacts>) => ({
  functions: [{ ...found({ ...evict, ...change }), output: change.output ?? evict.output }],
});
const withQueue = (change: Partial<QueueFacts>) => {
  const changed = { ...queue, ...change };
  return { queues: [{ ...found(changed), output: changed.output, url: changed.url }] };
};
const missing = (why: string) => ({ kind: 'Missing', why }) as const;
const complaints = (change: Partial<InstallationFacts>) =>
  checkInstallation({ ...good, ...change })
    .filter(({ kind }) => kind !== 'Ok')
    .map(render);

describe('an installation without problems', () => {
  it('a correct installation has only Ok findings', () => {
    expect(checkInstallation(good).map(render)).toMatchSnapshot();
    expect(complaints({})).toEqual([]);
  });
});

it.each<[string, Partial<InstallationFacts>]>([
  ['a function that is Pending', withFunction({ state: 'Pending' })],
  ...['Creating', 'Enabling', 'Updating'].map((state): [string, Partial<InstallationFacts>] => [
    `a trigger that is ${state}`,
    withFunction({ mappings: [{ queueArn: queue.arn, state }] }),
  ]),
])('%s is a warning with the advice to look again', (_, change) => {
  const said = checkInstallation({ ...good, ...change }).filter(({ kind }) => kind !== 'Ok');
  expect(said).toMatchObject([{ kind: 'Warning', remedy: expect.stringMatching(/^look again in a minute/) }]);
});

describe('problems of an installation', () => {
  it.each<[string, Partial<InstallationFacts>]>([
    ['no credentials', { account: missing('CredentialsProviderError: Could not load credentials') }],
    ['credentials of another account', { expectedAccount: '999999999999' }],
    [
      'a stack that does not exist in the region',
      { status: missing('ValidationError: Stack with id Sluice does not exist') },
    ],
    ['a deployment that failed', { status: found('UPDATE_ROLLBACK_COMPLETE') }],
    ['a deployment under way', { status: found('UPDATE_IN_PROGRESS') }],
    [
      'a function that does not exist',
      { functions: [{ ...missing('ResourceNotFoundException: Function not found'), output: 'EvictFunctionName' }] },
    ],
    ['a function that cannot start', withFunction({ state: 'Failed' })],
    ['a table name edited by hand', withFunction({ environment: { ...evict.environment, SLUICE_TABLE: 'other' } })],
    [
      'a queue URL edited by hand',
      withFunction({ environment: { ...evict.environment, SLUICE_EVICT_QUEUE_URL: 'https://other' } }),
    ],
    ['no trigger', withFunction({ mappings: [] })],
    ['a trigger that was switched off', withFunction({ mappings: [{ queueArn: queue.arn, state: 'Disabled' }] })],
    [
      'a queue that was renamed',
      {
        queues: [
          {
            ...missing('QueueDoesNotExist: The specified queue does not exist'),
            output: 'EvictQueueUrl',
            url: evictUrl,
          },
        ],
      },
    ],
    [
      'a queue without a dead-letter queue',
      {
        queues: [
          {
            ...found({ output: queue.output, url: evictUrl, arn: queue.arn, waiting: 0, visibilityTimeout: 900 }),
            output: queue.output,
            url: evictUrl,
          },
        ],
      },
    ],
    ['a visibility time-out below the function’s', withQueue({ visibilityTimeout: 10 })],
    ['dead letters', withQueue({ output: dead.output, waiting: 3 })],
    ['no table', { table: missing('ResourceNotFoundException: Table not found') }],
    [
      'a table without time to live and point-in-time recovery',
      {
        table: found({
          name: 'Sluice-State',
          status: 'ACTIVE',
          timeToLive: 'DISABLED',
          pointInTimeRecovery: 'DISABLED',
        }),
      },
    ],
    ['an environment that cannot be read', { environmentProblem: 'SLUICE_CLUSTERS: value: is not JSON' }],
    [
      'a watcher that never sent a heartbeat',
      { clusters: [{ name: 'prod', endpoint: cluster.endpoint, withoutAccess: [] }] },
    ],
    ['a watcher that fell silent', { clusters: [{ ...cluster, heardAt: now - 120_000 }] }],
    [
      'an EKS cluster that does not exist',
      { clusters: [{ ...cluster, eks: missing('ResourceNotFoundException: No cluster found for name: prod') }] },
    ],
    ['an endpoint other than that of EKS', { clusters: [{ ...cluster, endpoint: 'https://old.example.com' }] }],
    ['a CA other than that of EKS', { clusters: [{ ...cluster, certificateAuthority: 'another' }] }],
    [
      'a Kubernetes that is too old',
      {
        clusters: [
          { ...cluster, eks: found({ endpoint: cluster.endpoint, certificateAuthority: 'CA', version: '1.31' }) },
        ],
      },
    ],
    ['an executor without a role in the stack', { clusters: [{ ...outbound, executor: {} }] }],
    [
      'an executor whose role does not exist',
      { clusters: [{ ...outbound, executor: { role: missing('NoSuchEntityException: The role cannot be found.') } }] },
    ],
    [
      'an executor whose role no pod can assume',
      { clusters: [{ ...outbound, executor: { role: found({ arn, trust: '{"Service":"ec2.amazonaws.com"}' }) } }] },
    ],
    ['a queue that no executor receives from', withQueue({ output: 'EvictQueueUrlInside', receives: 0 })],
    ['messages that could not be read', withQueue({ poison: 3 })],
    [
      'an ingest queue that was renamed',
      {
        ...withFunction({
          output: 'IngestFunctionName',
          environment: { SLUICE_TABLE: 'Sluice-State', SLUICE_INGEST_QUEUES: '{"Sluice-ingest-prod":"prod"}' },
        }),
        ...withQueue({ output: 'IngestQueueUrlProd', url: 'https://sqs/123456789012/Other-ingest-prod' }),
      },
    ],
    [
      'a list of ingest queues edited by hand',
      withFunction({ environment: { ...evict.environment, SLUICE_INGEST_QUEUES: '{' } }),
    ],
    [
      'resources changed by hand',
      {
        drift: found([
          {
            logicalId: 'Queue1',
            type: 'AWS::SQS::Queue',
            isDeleted: false,
            differences: [{ path: '/VisibilityTimeout', expected: '180', actual: '30' }],
          },
          { logicalId: 'Alarm1', type: 'AWS::CloudWatch::Alarm', isDeleted: true, differences: [] },
        ]),
      },
    ],
    ['a drift that cannot be detected', { drift: missing('AccessDenied: cloudformation:DetectStackDrift') }],
    ['no access entry', { clusters: [{ ...cluster, withoutAccess: ['arn:aws:iam::123456789012:role/Evict'] }] }],
  ])('doctor reports a problem with the wrong value and a remedy: %s', (_, change) => {
    const said = complaints(change);
    expect(said.length).toBeGreaterThan(0);
    for (const one of said) expect(one).toMatch(/\n {9}-> ./);
    expect(said).toMatchSnapshot();
  });

  it.each<[string, Partial<InstallationFacts>]>([
    ['a widget without a trigger', withFunction({ output: 'WidgetFunctionName', mappings: [] })],
    ['an executor whose pods take its role by Pod Identity', executorWith('{"Service":"pods.eks.amazonaws.com"}')],
    [
      'an executor whose pods take its role by an OIDC provider',
      executorWith('{"Action":"sts:AssumeRoleWithWebIdentity"}'),
    ],
    ['a queue that an executor receives from', withQueue({ output: 'EvictQueueUrlInside', receives: 45, poison: 0 })],
    ['no drift', { drift: found([]) }],
  ])('doctor reports nothing for %s', (_, change) => {
    expect(complaints(change)).toEqual([]);
  });

  it('doctor reports nothing else without credentials or a stack', () => {
    expect(checkInstallation({ ...good, account: missing('no') })).toHaveLength(1);
    expect(checkInstallation({ ...good, status: missing('no') })).toHaveLength(2);
  });
});

describe('the clusters of an installation', () => {
  const clusters = { prod: { endpoint: 'https://prod.example.com', auth: { kind: 'eks', clusterName: 'prod' } } };
  const environment = { ...evict.environment, SLUICE_CLUSTERS: JSON.stringify(clusters) };

  it('the clusters of an installation are those in the environment of evict', () => {
    expect(Object.keys(clustersOf([{ ...evict, environment }]).clusters)).toEqual(['prod']);
    expect(clustersOf([]).clusters).toEqual({});
  });

  it('clusters that cannot be parsed are a problem, not a crash', () => {
    const { clusters: none, problem } = clustersOf([
      { ...evict, environment: { ...environment, SLUICE_CLUSTERS: '{' } },
    ]);
    expect(none).toEqual({});
    expect(problem).toMatch(/Sluice-Evict: .*SLUICE_CLUSTERS: value: is not JSON/);
  });
});
