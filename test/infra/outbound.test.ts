// An outbound cluster: no function knows its API server, and its executor may do what evict and report do, for this cluster alone.
import { describe, expect, it } from 'vitest';
import { asList, cluster, dig, install, referred } from './support/installation.ts';

const executorRoleArn = 'arn:aws:iam::123456789012:role/executor';
const inside = { ...cluster, name: 'inside', auth: { kind: 'outbound' }, executorRoleArn } as const;
const stack = install({ clusters: [cluster, inside] });

const nameOf = new Map(
  [...stack.ofType('AWS::SQS::Queue'), ...stack.ofType('AWS::DynamoDB::GlobalTable')].map((one) => [
    one.logicalId,
    one.path.replace('Sluice/Sluice/', '').replace('/Resource', ''),
  ]),
);

/** `<action> <path of the resource>`, of a policy's statements. */
function allowed(path: string): readonly string[] {
  const policy = stack.one('AWS::IAM::Policy', path);
  return asList(dig(policy.properties, 'PolicyDocument', 'Statement'))
    .flatMap((statement) =>
      asList(dig(statement, 'Action')).flatMap((action) =>
        asList(dig(statement, 'Resource')).map((resource) => `${action} ${nameOf.get(referred(resource)) ?? '?'}`),
      ),
    )
    .sort();
}

describe('an outbound cluster', () => {
  it('an outbound cluster has its own evict and report queues with dead-letter queues, and no function takes from them', () => {
    const names = stack.ofType('AWS::SQS::Queue').map((one) => one.properties.QueueName);
    for (const name of ['Sluice-evict-inside', 'Sluice-report-inside', 'Sluice-ingest-inside'])
      expect(names).toEqual(expect.arrayContaining([name, `${name}_dead`]));
    expect(names).not.toContain('Sluice-evict-prod');
    const consumed = stack
      .ofType('AWS::Lambda::EventSourceMapping')
      .map((one) => nameOf.get(referred(one.properties.EventSourceArn)));
    expect(consumed.filter((name) => name?.includes('inside'))).toEqual(['Ingest/Queue-inside/Queue']);
  });

  it('the executor of an outbound cluster may take its messages and use its rows of the table (executorRows.test.ts), and nothing else', () => {
    const rows = ['BatchGetItem', 'DeleteItem', 'GetItem', 'PutItem', 'Query', 'UpdateItem'];
    const people = ['BatchGetItem', 'GetItem', 'Query'];
    const taking = ['ChangeMessageVisibility', 'DeleteMessage', 'GetQueueAttributes', 'ReceiveMessage'];
    expect(allowed('Cluster-inside/Executor')).toEqual(
      [
        ...[...rows, ...people].map((action) => `dynamodb:${action} State`),
        ...['Evict', 'Report'].flatMap((stage) => taking.map((action) => `sqs:${action} ${stage}/Queue-inside/Queue`)),
        'sqs:SendMessage Evict/Queue-inside/Queue',
        'sqs:SendMessage Report/Queue-inside/Queue',
      ].sort(),
    );
  });

  it('functions that send to evict and report may send to the queues of an outbound cluster', () => {
    expect(allowed('/Evaluate/Role')).toContain('sqs:SendMessage Evict/Queue-inside/Queue');
    expect(allowed('/Sweep/Role')).toContain('sqs:SendMessage Report/Queue-inside/Queue');
  });

  it('an outbound cluster has no access entry, and functions get neither certificate nor credentials for it', () => {
    expect(install({ clusters: [inside] }).ofType('AWS::EKS::AccessEntry')).toEqual([]);
    const told = stack.one('AWS::Lambda::Function', '/Evict/').properties;
    const clusters = JSON.parse(String(dig(told, 'Environment', 'Variables', 'SLUICE_CLUSTERS')));
    expect(clusters.inside.auth).toEqual({ kind: 'outbound' });
  });

  it('an output of the stack has the environment of the executor of an outbound cluster', () => {
    const output = dig(stack.template, 'Outputs', 'ExecutorEnvironmentInside', 'Value');
    const text = JSON.stringify(output);
    for (const name of ['TABLE', 'CLUSTERS', 'CLUSTER', 'EVICT_QUEUE_URL', 'REPORT_QUEUE_URL'])
      expect(text).toContain(`SLUICE_${name}`);
    expect(dig(stack.template, 'Outputs')).not.toHaveProperty('ExecutorEnvironmentProd');
  });

  it('an executor is refused for a cluster that functions reach, and an access entry for an outbound cluster', () => {
    expect(() => install({ clusters: [{ ...cluster, executorRoleArn }] })).toThrow(
      'clusters[0].executorRoleArn: the executor is for auth.kind: outbound: set that, or leave executorRoleArn out',
    );
    expect(() => install({ clusters: [{ ...inside, accessEntry: true }] })).toThrow(
      /accessEntry: access entries are for auth.kind: eks/,
    );
  });
});
