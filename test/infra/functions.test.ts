// What the stack guarantees about its functions, its table and its schedule.
import { describe, expect, it } from 'vitest';
import { environmentNames as names } from '../../lib/contract.ts';
import { readEnvironment } from '../../lib/lambda/environment.ts';
import { selfSignedCertificate } from '../../lib/local/cluster/certificate.ts';
import type { InstallationSettings } from '../../lib/model/snapshot.ts';
import { cluster, clusterOf, dig, environmentOf, install, type Resource, referred } from './support/installation.ts';

const { certificate: pem } = selfSignedCertificate({
  commonName: 'kubernetes',
  hosts: ['api.example.com'],
  notBefore: new Date('2026-01-01'),
  notAfter: new Date('2036-01-01'),
});
const stack = install({ clusters: [{ ...cluster, certificateAuthority: pem }] });
const functions = stack.ofType('AWS::Lambda::Function');
const nameOf = (one: Resource) => String(one.properties.Description).replace('Sluice ', '');

/** Besides table, clusters and log level. */
const variables: Readonly<Record<string, readonly string[]>> = {
  ingest: [names.ingestQueues, names.evaluateQueueUrl, names.evictQueueUrl, names.reportQueueUrl],
  evaluate: [names.evictQueueUrl, names.reportQueueUrl],
  evict: [names.evictQueueUrl, names.reportQueueUrl],
  report: [],
  sweep: [names.evictQueueUrl, names.reportQueueUrl],
  widget: [],
};

describe('functions', () => {
  it('the functions are the four stages, the sweep and the widget', () => {
    expect(functions.map(nameOf).sort()).toEqual(Object.keys(variables).sort());
  });

  it.each(functions)('function $path runs Node 24 on arm64, traced, with JSON logs in a group of its own', (one) => {
    expect(one.properties).toMatchObject({
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      TracingConfig: { Mode: 'Active' },
      LoggingConfig: { LogFormat: 'JSON' },
    });
    const group = stack
      .ofType('AWS::Logs::LogGroup')
      .find((log) => log.logicalId === referred(dig(one.properties, 'LoggingConfig', 'LogGroup')));
    expect(group?.properties.RetentionInDays).toBe(14);
  });

  it.each(functions)(
    'function $path never reserves concurrency: pollers that over-fetch fill dead-letter queues',
    (one) => {
      expect(one.properties).not.toHaveProperty('ReservedConcurrentExecutions');
    },
  );

  it.each(functions)('function $path has exactly the variables that it needs', (one) => {
    const wanted = [names.table, names.clusters, names.logLevel, ...(variables[nameOf(one)] ?? [])];
    expect(Object.keys(environmentOf(one)).sort()).toEqual([...wanted].sort());
  });

  it.each(functions)('function $path starts with the environment it is given', (one) => {
    const needed = [names.table, names.clusters, ...(variables[nameOf(one)] ?? [])];
    const read = readEnvironment(environmentOf(one), needed);
    expect(Object.keys(read.clusters)).toEqual(['prod']);
    expect(read.ingestQueues).toEqual(nameOf(one) === 'ingest' ? { 'Sluice-ingest-prod': 'prod' } : {});
  });

  it.each(functions)('function $path has the queue URL of the right stage', (one) => {
    for (const [variable, stage] of [
      [names.evaluateQueueUrl, 'Evaluate'],
      [names.evictQueueUrl, 'Evict'],
      [names.reportQueueUrl, 'Report'],
    ] as const) {
      const given = environmentOf(one)[variable];
      if (given !== undefined) expect(given).toBe(stack.one('AWS::SQS::Queue', `/${stage}/Queue/Queue/`).logicalId);
    }
  });

  it('only the functions that call API servers are given certificates', () => {
    const holders = functions.filter((one) => environmentOf(one)[names.clusters]?.includes('CERTIFICATE'));
    expect(holders.map(nameOf).sort()).toEqual(['evict', 'report']);
  });

  it('settings reach every function, and functions know each of them', () => {
    const all: InstallationSettings = {
      workloadClaims: true,
      extendedResourceClaims: true,
      nonPodConsumers: true,
      emptyEffectTolerates: true,
      releaseStaleConsumers: true,
      projectRules: true,
      projection: { maxRules: 100 },
      holdEmptySelector: true,
    };
    for (const one of install({ settings: all }).ofType('AWS::Lambda::Function'))
      expect(readEnvironment(environmentOf(one), [names.settings]).settings).toEqual(all);
  });

  it('a log level reaches every function', () => {
    for (const one of install({ logLevel: 'DEBUG' }).ofType('AWS::Lambda::Function'))
      expect(environmentOf(one)[names.logLevel]).toBe('DEBUG');
  });
});

describe('schedule', () => {
  it('the schedule invokes the sweep once a minute', () => {
    const rule = stack.one('AWS::Events::Rule', 'Sweep');
    expect(rule.properties.ScheduleExpression).toBe('rate(1 minute)');
    expect(referred(dig(rule.properties, 'Targets', 0, 'Arn'))).toBe(
      stack.one('AWS::Lambda::Function', '/Sweep/').logicalId,
    );
  });
});

it('each cluster is swept by an invocation of its own', () => {
  const names = Array.from({ length: 7 }, (_, i) => `cluster-${i}`);
  const rules = install({ clusters: names.map((name) => clusterOf(name)) }).ofType('AWS::Events::Rule');
  const inputs = rules.flatMap(({ properties }) =>
    (properties.Targets as readonly { readonly Input: string }[]).map(({ Input }) => JSON.parse(Input)),
  );
  expect(inputs.sort((a, b) => a.cluster.localeCompare(b.cluster))).toEqual(names.map((name) => ({ cluster: name })));
});

describe('table', () => {
  const table = (of = stack) => of.one('AWS::DynamoDB::GlobalTable', 'State');

  it('the table has two text keys, expiry, on-demand capacity, point-in-time recovery and two sparse indexes of little more than keys', () => {
    expect(table().properties).toMatchObject({
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      BillingMode: 'PAY_PER_REQUEST',
      TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
      Replicas: [{ PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } }],
    });
    expect(table().properties.GlobalSecondaryIndexes).toMatchObject([
      { IndexName: 'due', Projection: { ProjectionType: 'KEYS_ONLY' } },
      { IndexName: 'heads', Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['uid', 'at', 'mirror'] } },
    ]);
  });

  it('the table outlives the stack and is protected from deletion', () => {
    expect(table().whole.DeletionPolicy).toBe('Retain');
    expect(dig(table().properties, 'Replicas', 0, 'DeletionProtectionEnabled')).toBe(true);
  });
});
