// Findings about an installation: what is fine is fine, and each thing that can be wrong is named with its value and a remedy.
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

describe('an installation as it was deployed', () => {
  it('has nothing wrong, and everything that was looked at is said', () => {
    expect(checkInstallation(good).map(render)).toMatchSnapshot();
    expect(complaints({})).toEqual([]);
  });
});

it.each<[string, Partial<InstallationFacts>]>([
  ['a function', withFunction({ state: 'Pending' })],
  ...['Creating', 'Enabling', 'Updating'].map((state): [string, Partial<InstallationFacts>] => [
    `a trigger that is ${state}`,
    withFunction({ mappings: [{ queueArn: queue.arn, state }] }),
  ]),
])('%s that AWS still prepares is no problem, and has to be looked at again', (_, change) => {
  const said = checkInstallation({ ...good, ...change }).filter(({ kind }) => kind !== 'Ok');
  expect(said).toMatchObject([{ kind: 'Warning', remedy: expect.stringMatching(/^look again in a minute/) }]);
});

describe('what is wrong is named with its value and a remedy', () => {
  it.each<[string, Partial<InstallationFacts>]>([
    ['no credentials', { account: missing('CredentialsProviderError: Could not load credentials') }],
    ['another account', { expectedAccount: '999999999999' }],
    ['no such stack, or another region', { status: missing('ValidationError: Stack with id Sluice does not exist') }],
    ['a deployment that failed', { status: found('UPDATE_ROLLBACK_COMPLETE') }],
    ['a deployment under way', { status: found('UPDATE_IN_PROGRESS') }],
    [
      'a function that is gone',
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
      'a queue without dead letters',
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
      'a table without its guards',
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
      'no such EKS cluster',
      { clusters: [{ ...cluster, eks: missing('ResourceNotFoundException: No cluster found for name: prod') }] },
    ],
    ['another endpoint', { clusters: [{ ...cluster, endpoint: 'https://old.example.com' }] }],
    ['another CA', { clusters: [{ ...cluster, certificateAuthority: 'another' }] }],
    [
      'a Kubernetes that is too old',
      {
        clusters: [
          { ...cluster, eks: found({ endpoint: cluster.endpoint, certificateAuthority: 'CA', version: '1.31' }) },
        ],
      },
    ],
    ['an executor that has no role named for', { clusters: [{ ...outbound, executor: {} }] }],
    [
      'an executor whose role does not exist',
      { clusters: [{ ...outbound, executor: { role: missing('NoSuchEntityException: The role cannot be found.') } }] },
    ],
    [
      'an executor whose role no pod can become',
      { clusters: [{ ...outbound, executor: { role: found({ arn, trust: '{"Service":"ec2.amazonaws.com"}' }) } }] },
    ],
    ['a queue that no executor asks', withQueue({ output: 'EvictQueueUrlInside', receives: 0 })],
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
    ['a drift that cannot be told', { drift: missing('AccessDenied: cloudformation:DetectStackDrift') }],
    ['no access entry', { clusters: [{ ...cluster, withoutAccess: ['arn:aws:iam::123456789012:role/Evict'] }] }],
  ])('doctor names the value that is wrong and a remedy: %s', (_, change) => {
    const said = complaints(change);
    expect(said.length).toBeGreaterThan(0);
    for (const one of said) expect(one).toMatch(/\n {9}-> ./);
    expect(said).toMatchSnapshot();
  });

  it.each<[string, Partial<InstallationFacts>]>([
    ['a widget without a trigger', withFunction({ output: 'WidgetFunctionName', mappings: [] })],
    ['an executor whose pods take its role by Pod Identity', executorWith('{"Service":"pods.eks.amazonaws.com"}')],
    ['one by an OIDC provider', executorWith('{"Action":"sts:AssumeRoleWithWebIdentity"}')],
    ['a queue that is asked', withQueue({ output: 'EvictQueueUrlInside', receives: 45, poison: 0 })],
    ['no drift', { drift: found([]) }],
  ])('doctor reports nothing for %s', (_, change) => {
    expect(complaints(change)).toEqual([]);
  });

  it('without credentials or a stack nothing else is asked about', () => {
    expect(checkInstallation({ ...good, account: missing('no') })).toHaveLength(1);
    expect(checkInstallation({ ...good, status: missing('no') })).toHaveLength(2);
  });
});

describe('the clusters of an installation', () => {
  const clusters = { prod: { endpoint: 'https://prod.example.com', auth: { kind: 'eks', clusterName: 'prod' } } };
  const environment = { ...evict.environment, SLUICE_CLUSTERS: JSON.stringify(clusters) };

  it('are those that evict is given', () => {
    expect(Object.keys(clustersOf([{ ...evict, environment }]).clusters)).toEqual(['prod']);
    expect(clustersOf([]).clusters).toEqual({});
  });

  it('that cannot be read are a problem, not a crash', () => {
    const { clusters: none, problem } = clustersOf([
      { ...evict, environment: { ...environment, SLUICE_CLUSTERS: '{' } },
    ]);
    expect(none).toEqual({});
    expect(problem).toMatch(/Sluice-Evict: .*SLUICE_CLUSTERS: value: is not JSON/);
  });
});
