// From sluice.yaml to the template: every property of the construct can be set in it, and each setting reaches the functions.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { sluicePropsFrom, stackPropsFrom } from '../../infra/fromConfig.ts';
import type { ClusterProps, SluiceProps } from '../../infra/props.ts';
import { connectClusters } from '../../lib/config/connect.ts';
import { readConfig } from '../../lib/config/read.ts';
import { environmentNames as names } from '../../lib/contract.ts';
import { readEnvironment } from '../../lib/lambda/environment.ts';
import { defaultSettings, type InstallationSettings } from '../../lib/model/snapshot.ts';
import { asList, dig, environmentOf, installStack, type Resource } from './support/installation.ts';

const everything = readFileSync('deploy/examples/configuration/everything.yaml', 'utf8');
const small = readFileSync('deploy/examples/configuration/sluice.yaml', 'utf8');
const noEks = () => Promise.reject(new Error('not asked'));

async function synthesize(text: string) {
  const config = readConfig(text, 'sluice.yaml');
  const connected = await connectClusters(config, noEks);
  let props: SluiceProps | undefined;
  const installation = installStack({
    ...stackPropsFrom(config, {}),
    sluice: (stack) => {
      props = sluicePropsFrom(stack, connected);
      return props;
    },
  });
  return { ...installation, props: props as SluiceProps };
}
const all = await synthesize(everything);
const functions = all.ofType('AWS::Lambda::Function');

describe('sluice.yaml', () => {
  it('the example sluice.yaml sets every property of the construct', () => {
    const known: Readonly<Record<keyof SluiceProps, true>> = {
      clusters: true,
      network: true,
      removalPolicy: true,
      deletionProtection: true,
      encryptionKey: true,
      logRetention: true,
      logLevel: true,
      settings: true,
      recordDays: true,
      limits: true,
      visibilityTimeout: true,
      maxReceiveCount: true,
      enforceSSL: true,
      emulator: true,
      alarmActions: true,
      alarmThresholds: true,
      runbookUrl: true,
    };
    expect(Object.keys(all.props).sort()).toEqual(Object.keys(known).sort());
  });

  it('the example sluice.yaml sets every property of a cluster', () => {
    const known: Readonly<Record<keyof Omit<ClusterProps, 'certificateAuthority'>, true>> = {
      name: true,
      endpoint: true,
      auth: true,
      native: true,
      paced: true,
      inTree: true,
      maxEvictionsPerSecond: true,
      watcherRoleArn: true,
      executorRoleArn: true,
      workloadIdentity: true,
      accessEntry: true,
    };
    const keys = all.props.clusters.flatMap((cluster) => Object.keys(cluster));
    expect([...new Set(keys)].sort()).toEqual(Object.keys(known).sort());
  });

  it.each([
    ['workloadClaims', 'true', true],
    ['workloadClaims', 'false', false],
    ['extendedResourceClaims', 'false', false],
    ['nonPodConsumers', 'true', true],
    ['emptyEffectTolerates', 'true', true],
    ['holdEmptySelector', 'false', false],
    ['releaseStaleConsumers', 'true', true],
    ['projectRules', 'false', false],
    ['projection', '{maxRules: 7}', { maxRules: 7 }],
  ] satisfies (readonly [keyof InstallationSettings, string, unknown])[])(
    'the setting %s: %s reaches every function, and nothing else changes',
    async (name, value, expected) => {
      const { ofType } = await synthesize(`${small}settings:\n  ${name}: ${value}\n`);
      const read = ofType('AWS::Lambda::Function').map((one) => readEnvironment(environmentOf(one), []).settings);
      expect(read.length).toBeGreaterThan(5);
      for (const settings of read) expect(settings).toEqual({ ...defaultSettings, [name]: expected });
    },
  );

  it('sluice.yaml puts the functions that call API servers into the network, by ids', () => {
    const inNetwork = functions.filter((one) => one.properties.VpcConfig !== undefined);
    expect(inNetwork.map((one) => one.properties.Description)).toEqual(['Sluice evict', 'Sluice report']);
    for (const one of inNetwork)
      expect(one.properties.VpcConfig).toMatchObject({
        SubnetIds: ['subnet-0a1b2c3d', 'subnet-1b2c3d4e'],
        SecurityGroupIds: ['sg-0a1b2c3d'],
      });
  });

  it('sluice.yaml lets every alarm notify the topics, and sets its thresholds', () => {
    const alarms = all.ofType('AWS::CloudWatch::Alarm');
    const topic = 'arn:aws:sns:eu-west-1:123456789012:on-call';
    expect(alarms.length).toBeGreaterThan(20);
    for (const { properties } of alarms) expect(properties.AlarmActions).toEqual([topic]);
    const of = (entry: string) =>
      alarms
        .filter(({ properties }) => String(properties.AlarmDescription).endsWith(`#${entry}`))
        .map(({ properties }) => [properties.Threshold, properties.EvaluationPeriods]);
    expect(new Set(of('messages-wait').map(String))).toEqual(new Set(['600,5']));
    expect(new Set(of('watcher-silent').map(String))).toEqual(new Set(['1,10']));
    expect(new Set(of('dead-letters').map(String))).toEqual(new Set(['1,1']));
  });

  it('sluice.yaml encrypts the table with the key, and lets the functions use it', () => {
    const keyArn = 'arn:aws:kms:eu-west-1:123456789012:key/0a1b2c3d-0000-4000-8000-000000000000';
    const table = all.one('AWS::DynamoDB::GlobalTable', 'State');
    expect(dig(table.properties, 'Replicas', 0, 'SSESpecification', 'KMSMasterKeyId')).toBe(keyArn);
    const statements = all
      .ofType('AWS::IAM::Policy')
      .flatMap((one) => asList(dig(one.properties, 'PolicyDocument', 'Statement')));
    expect(statements.filter((one) => dig(one, 'Resource') === keyArn).length).toBeGreaterThan(5);
  });

  it('sluice.yaml sets how long logs and records are kept', () => {
    expect(new Set(all.ofType('AWS::Logs::LogGroup').map((one) => one.properties.RetentionInDays))).toEqual(
      new Set([30]),
    );
    for (const one of functions) expect(readEnvironment(environmentOf(one), []).recordDays).toBe(365);
  });

  it('sluice.yaml sets limits of some stages and queues, and leaves the others', () => {
    const named = (stage: string) =>
      functions.find((one) => one.properties.Description === `Sluice ${stage}`)?.properties;
    expect(named('ingest')).toMatchObject({ Timeout: 60, MemorySize: 1024 });
    expect(named('evict')).toMatchObject({ MemorySize: 1024 });
    expect(named('report')).toMatchObject({ MemorySize: 512 });
    const queue = all.one('AWS::SQS::Queue', '/Report/Queue/Queue/');
    expect(queue.properties.VisibilityTimeout).toBe(360);
    expect(dig(queue.properties, 'RedrivePolicy', 'maxReceiveCount')).toBe(5);
  });

  it('the stack keeps table and queues unless sluice.yaml says that they are destroyed', async () => {
    const policies = (of: typeof all) =>
      ['AWS::SQS::Queue', 'AWS::DynamoDB::GlobalTable'].map((type) => [
        ...new Set(of.ofType(type).flatMap(({ whole }) => [whole.DeletionPolicy, whole.UpdateReplacePolicy])),
      ]);
    // A queue is not kept when its creation is rolled back: its name is fixed, and the next attempt could not create it.
    const kept = [['RetainExceptOnCreate', 'Retain'], ['Retain']];
    expect(policies(await synthesize(small))).toEqual(kept);
    expect(policies(await synthesize(`${small}removal: {policy: retain}\n`))).toEqual(kept);
    expect(policies(await synthesize(`${small}removal: {policy: destroy}\n`))).toEqual([['Delete'], ['Delete']]);
  });

  it('the stack is named, tagged and protected from termination, unless its removal policy is destroy', () => {
    const of = (text: string) => stackPropsFrom(readConfig(text, 'sluice.yaml'), { account: '1', region: 'us-east-1' });
    expect(of(small)).toMatchObject({
      stackName: 'Sluice',
      terminationProtection: true,
      tags: { application: 'sluice' },
    });
    expect(of(small)).not.toHaveProperty('env');
    expect(of(`${small}removal: {policy: destroy}`).terminationProtection).toBe(false);
    expect(of(`${small}stack: {region: eu-west-1}`).env).toEqual({ account: '1', region: 'eu-west-1' });
    expect(of(everything)).toMatchObject({
      env: { account: '123456789012', region: 'eu-west-1' },
      tags: { application: 'sluice', team: 'platform' },
    });
  });
});

describe('an EKS cluster without an endpoint', () => {
  const eks = 'clusters:\n  - {name: prod, auth: {kind: eks, clusterName: prod-eks}}\n';
  const config = readConfig(eks, 'sluice.yaml');

  it('an endpoint that sluice.yaml leaves out is read from EKS, with its certificate authority', async () => {
    const found = { endpoint: 'https://A1.gr7.eu-west-1.eks.amazonaws.com', certificateAuthority: 'PEM' };
    const asked: string[] = [];
    const { clusters } = await connectClusters(config, async (name) => {
      asked.push(name);
      return found;
    });
    expect(asked).toEqual(['prod-eks']);
    expect(clusters[0]).toMatchObject({ name: 'prod', ...found });
  });

  it('an endpoint that EKS does not return is refused with the settings to write', async () => {
    await expect(connectClusters(config, noEks)).rejects.toThrow(
      'cluster "prod": the EKS cluster prod-eks cannot be read (not asked): use credentials that allow eks:DescribeCluster, or set endpoint and certificateAuthority',
    );
  });
});

it('environment variables have the names that functions read', () => {
  expect(Object.keys(environmentOf(functions[0] as Resource))).toEqual(
    expect.arrayContaining([names.settings, names.recordDays, names.logLevel]),
  );
});
