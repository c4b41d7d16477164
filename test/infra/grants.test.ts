// Every permission of every function, written out.

import { Vpc } from 'aws-cdk-lib/aws-ec2';
import { ArnPrincipal, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { describe, expect, it } from 'vitest';
import {
  asList,
  cluster,
  clusterOf,
  dig,
  type Installation,
  install,
  installInto,
  referred,
} from './support/installation.ts';

const stack = install();
const inBatches = ['BatchGetItem', 'DeleteItem', 'PutItem', 'Query', 'UpdateItem'];

const permissions: Readonly<Record<string, { table: readonly string[]; sendsTo: readonly string[] }>> = {
  Ingest: { table: inBatches, sendsTo: ['Evict', 'Evaluate', 'Report'] },
  Evaluate: { table: inBatches, sendsTo: ['Evict', 'Report'] },
  Evict: { table: inBatches, sendsTo: ['Evict', 'Report'] },
  Report: { table: ['BatchGetItem', 'DeleteItem', 'GetItem', 'Query', 'UpdateItem'], sendsTo: [] },
  Sweep: { table: ['DeleteItem', 'GetItem', 'Query', 'UpdateItem'], sendsTo: ['Evict', 'Report'] },
  Widget: { table: ['BatchGetItem', 'GetItem', 'Query'], sendsTo: [] },
};
/** Queues of each cluster alone that a function sends to. */
const ofClusters: Readonly<Record<string, readonly string[]>> = {
  Ingest: ['Resend-prod/Resend', 'Ingest/Queue-prod/Queue'],
  Sweep: ['Ingest/Queue-prod/Queue'],
};

/** The index that a function queries. */
const indexes: Readonly<Record<string, string>> = { Sweep: 'due', Ingest: 'heads' };
const names = Object.keys(permissions);
/** Invoked from queues. */
const stages = names.filter((name) => name !== 'Sweep' && name !== 'Widget');

/** `<action> <path of the resource>` for all that a function's role may do. */
function allowed(of: Installation, name: string): readonly string[] {
  const policies = of.ofType('AWS::IAM::Policy').filter((one) => one.path.startsWith(`Sluice/Sluice/${name}/`));
  const paths = new Map(
    [
      ...of.ofType('AWS::SQS::Queue'),
      ...of.ofType('AWS::DynamoDB::GlobalTable'),
      ...of.ofType('AWS::Logs::LogGroup'),
    ].map((one) => [one.logicalId, one.path.replace('Sluice/Sluice/', '').replace('/Resource', '')]),
  );
  const statements = policies.flatMap((one) => asList(dig(one.properties, 'PolicyDocument', 'Statement')));
  return statements
    .flatMap((statement) =>
      asList(dig(statement, 'Action')).flatMap((action) =>
        asList(dig(statement, 'Resource')).map((resource) => {
          if (typeof resource === 'string') return `${action} ${resource}`;
          const [id = '', ...rest] = referred(resource).split('/');
          return `${action} ${[paths.get(id) ?? '?', ...rest].join('/')}`;
        }),
      ),
    )
    .sort();
}

const actions = (all: readonly string[], prefix: string) => all.filter((one) => one.startsWith(prefix));

describe('grants', () => {
  it.each(names)('function %s may call the table only as its code does', (name) => {
    const { table = [] } = permissions[name] ?? {};
    const calls = table.map((action) => `dynamodb:${action} State`);
    const index = indexes[name] === undefined ? [] : [`dynamodb:Query State/index/${indexes[name]}`];
    expect(actions(allowed(stack, name), 'dynamodb:')).toEqual([...calls, ...index].toSorted());
  });

  it.each(names)(
    'function %s may send only to the stages after it; evict and ingest also to their own queue',
    (name) => {
      const { sendsTo = [] } = permissions[name] ?? {};
      const sends = actions(allowed(stack, name), 'sqs:SendMessage');
      const all = [...sendsTo.map((stage) => `${stage}/Queue/Queue`), ...(ofClusters[name] ?? [])];
      expect(sends).toEqual(all.map((queue) => `sqs:SendMessage ${queue}`).toSorted());
      expect(sendsTo.includes(name)).toBe(name === 'Evict');
    },
  );

  it.each(stages)('function %s may take messages from its own queue only', (name) => {
    const queue = name === 'Ingest' ? 'Ingest/Queue-prod/Queue' : `${name}/Queue/Queue`;
    const takes = ['sqs:ChangeMessageVisibility', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ReceiveMessage'];
    const all = allowed(stack, name);
    expect(all.filter((one) => one.startsWith('sqs:') && !one.startsWith('sqs:SendMessage '))).toEqual(
      takes.map((action) => `${action} ${queue}`),
    );
  });

  it.each(names)('function %s may write to its own log group only', (name) => {
    expect(actions(allowed(stack, name), 'logs:')).toEqual([
      `logs:CreateLogStream ${name}/Logs`,
      `logs:PutLogEvents ${name}/Logs`,
    ]);
  });

  it.each(names)('function %s may do nothing else, and has no wildcard but for traces', (name) => {
    const rest = allowed(stack, name).filter((one) => !/^(dynamodb|sqs|logs):/.test(one));
    expect(rest).toEqual(['xray:PutTelemetryRecords *', 'xray:PutTraceSegments *']);
  });

  it.each(names)(
    'function %s may call the batch actions that only emulators know, only if the props ask for them',
    (name) => {
      const more = allowed(install({ emulator: true }), name).filter((one) => !allowed(stack, name).includes(one));
      const queues = [
        ...(permissions[name]?.sendsTo ?? []).map((stage) => `${stage}/Queue/Queue`),
        ...(ofClusters[name] ?? []),
      ];
      const sends = queues.map((queue) => `sqs:SendMessageBatch ${queue}`);
      const own = name === 'Ingest' ? 'Ingest/Queue-prod/Queue' : `${name}/Queue/Queue`;
      const takes = stages.includes(name) ? [`sqs:ChangeMessageVisibilityBatch ${own}`] : [];
      expect(more).toEqual([...takes, ...sends].toSorted());
    },
  );

  it('no role carries a managed policy', () => {
    for (const role of stack.ofType('AWS::IAM::Role')) expect(role.properties).not.toHaveProperty('ManagedPolicyArns');
  });

  it('every function may use a customer’s key, action by action', () => {
    const arn = 'arn:aws:kms:eu-west-1:123456789012:key/11111111-2222-3333-4444-555555555555';
    const own = installInto((home) => ({ encryptionKey: Key.fromKeyArn(home, 'Key', arn) }));
    const each = ['Decrypt', 'DescribeKey', 'Encrypt', 'GenerateDataKey', 'ReEncryptFrom', 'ReEncryptTo'];
    for (const name of names)
      expect(actions(allowed(own, name), 'kms:')).toEqual(each.map((action) => `kms:${action} ${arn}`));
  });
});

describe('watchers', () => {
  it('the named role of a watcher may use the queues of its cluster and no others', () => {
    const watcherRoleArn = 'arn:aws:iam::123456789012:role/watcher';
    const own = install({
      clusters: [{ ...cluster, watcherRoleArn }, clusterOf('other')],
    });
    const policies = own.ofType('AWS::SQS::QueuePolicy').filter((one) => JSON.stringify(one).includes(watcherRoleArn));
    expect(policies.map((one) => one.path)).toEqual([
      'Sluice/Sluice/Ingest/Queue-prod/Queue/Policy/Resource',
      'Sluice/Sluice/Resend-prod/Resend/Policy/Resource',
    ]);
    expect(dig(policies[0]?.properties, 'PolicyDocument', 'Statement', 1)).toMatchObject({
      Effect: 'Allow',
      Action: 'sqs:SendMessage',
      Principal: { AWS: watcherRoleArn },
    });
  });

  it('a watcher’s role of the same account has its own policy for the queues of its cluster', () => {
    const own = install();
    const role = new Role(own.sluice, 'Watcher', { assumedBy: new ServicePrincipal('pods.eks.amazonaws.com') });
    const statements = own.sluice.grantWatcher('prod', role).principalStatements;
    const asked = own.sluice.resendQueues.get('prod');
    expect(statements.map(({ actions, resources }) => ({ actions, resources }))).toEqual([
      { actions: ['sqs:SendMessage'], resources: [own.sluice.ingestQueue('prod').queue.queueArn] },
      { actions: ['sqs:DeleteMessage', 'sqs:ReceiveMessage'], resources: [asked?.queueArn] },
    ]);
  });

  it('a grant for an unknown cluster throws with the known names', () => {
    expect(() => stack.sluice.grantWatcher('tset', new ArnPrincipal('*'))).toThrow(
      'Sluice: there is no cluster "tset", only prod',
    );
  });
});

describe('access to API servers', () => {
  it('access entries put evict and report into groups of their own, which RBAC binds', () => {
    const own = install({ clusters: [{ ...cluster, accessEntry: true }] });
    const entries = own.ofType('AWS::EKS::AccessEntry');
    expect(entries.map((one) => referred(one.properties.PrincipalArn))).toEqual([
      own.one('AWS::IAM::Role', '/Evict/').logicalId,
      own.one('AWS::IAM::Role', '/Report/').logicalId,
    ]);
    for (const entry of entries) expect(entry.properties).toMatchObject({ ClusterName: 'prod-eks', Type: 'STANDARD' });
    expect(entries.map(({ properties }) => properties.KubernetesGroups)).toEqual([
      ['sluice-evict'],
      ['sluice-report', 'sluice-projection', 'sluice-release'],
    ]);
  });

  it('access entries are not made by default, because emulators refuse them', () => {
    expect(stack.ofType('AWS::EKS::AccessEntry')).toEqual([]);
  });

  it('only the functions that call API servers run in a network, and only their roles may join it', () => {
    const own = installInto((home) => ({
      network: {
        vpc: Vpc.fromVpcAttributes(home, 'Vpc', {
          vpcId: 'vpc-0123456789abcdef0',
          availabilityZones: ['eu-west-1a'],
          privateSubnetIds: ['subnet-0123456789abcdef0'],
          privateSubnetRouteTableIds: ['rtb-0123456789abcdef0'],
        }),
      },
    }));
    const inside = own.ofType('AWS::Lambda::Function').filter((one) => one.properties.VpcConfig !== undefined);
    expect(inside.map((one) => one.properties.Description)).toEqual(['Sluice evict', 'Sluice report']);
    const joining = names.filter((name) => actions(allowed(own, name), 'ec2:CreateNetworkInterface').length > 0);
    expect(joining).toEqual(['Evict', 'Report']);
  });
});
