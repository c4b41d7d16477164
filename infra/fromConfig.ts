// Converts sluice.yaml to the properties of stack and construct.
import {
  CliCredentialsStackSynthesizer,
  type Environment,
  type IStackSynthesizer,
  RemovalPolicy,
  type StackProps,
} from 'aws-cdk-lib';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { SecurityGroup, Subnet, Vpc } from 'aws-cdk-lib/aws-ec2';
import { Key } from 'aws-cdk-lib/aws-kms';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import type { ConnectedConfig } from '../lib/config/connect.ts';
import type { Config } from '../lib/config/schema.ts';
import { defaultStackName } from '../lib/outputs.ts';
import { given } from './given.ts';
import type { ClusterProps, NetworkProps, SluiceProps } from './props.ts';

/** `defaults`: account and region of the command line's credentials. */
export function stackPropsFrom({ stack = {}, removal = {}, tags }: Config, defaults: Environment): StackProps {
  const env = { ...defaults, ...given({ account: stack.account, region: stack.region }) };
  return {
    stackName: stack.name ?? defaultStackName,
    description: 'Sluice: paced eviction of pods from tainted devices',
    tags: { application: 'sluice', ...tags },
    terminationProtection: removal.terminationProtection ?? removal.policy !== 'destroy',
    ...(stack.account !== undefined || stack.region !== undefined ? { env } : {}),
    ...(stack.credentials === 'cli' ? { synthesizer: new CliCredentialsStackSynthesizer() as IStackSynthesizer } : {}),
  };
}

/** `scope`: for imported resources, such as topics. */
export function sluicePropsFrom(scope: Construct, config: ConnectedConfig): SluiceProps {
  const {
    limits: { visibilityTimeout, maxReceiveCount, ...limits } = {},
    removal = {},
    retention = {},
    emulator = {},
  } = config;
  const imported = new Construct(scope, 'Imported');
  return {
    clusters: config.clusters.map((cluster): ClusterProps => ({ native: 'own', ...given(cluster) })),
    enforceSSL: emulator.plainHttp !== true,
    ...given({
      settings: config.settings && given(config.settings),
      network: config.network && networkFrom(imported, config.network),
      ...alarmPropsFrom(imported, config.alarms ?? {}),
      encryptionKey: config.encryption && Key.fromKeyArn(imported, 'Key', config.encryption.keyArn),
      recordDays: retention.records,
      logRetention: retention.logs === 'forever' ? RetentionDays.INFINITE : retention.logs,
      removalPolicy: removal.policy && { retain: RemovalPolicy.RETAIN, destroy: RemovalPolicy.DESTROY }[removal.policy],
      deletionProtection: removal.deletionProtection,
      limits: limits as SluiceProps['limits'],
      visibilityTimeout,
      maxReceiveCount,
      logLevel: config.logLevel,
      emulator: emulator.batchActions,
    }),
  };
}

function alarmPropsFrom(scope: Construct, { topics = [], runbookUrl, thresholds }: NonNullable<Config['alarms']>) {
  const alarmActions = topics.map((arn, i) => new SnsAction(Topic.fromTopicArn(scope, `Topic${i}`, arn)));
  return {
    alarmActions: alarmActions.length > 0 ? alarmActions : undefined,
    runbookUrl,
    alarmThresholds: thresholds as SluiceProps['alarmThresholds'],
  };
}

/** The CDK requires an availability zone, but uses it only to select subnets by zone. */
const unknownZone = 'unknown';

/** Imports by id, without lookups at synthesis. */
function networkFrom(scope: Construct, { vpc, subnets, securityGroups }: NonNullable<Config['network']>): NetworkProps {
  return {
    vpc: Vpc.fromVpcAttributes(scope, 'Vpc', { vpcId: vpc, availabilityZones: [unknownZone] }),
    subnets: { subnets: subnets.map((id) => Subnet.fromSubnetId(scope, id, id)) },
    ...(securityGroups
      ? {
          securityGroups: securityGroups.map((id) =>
            SecurityGroup.fromSecurityGroupId(scope, id, id, { mutable: false }),
          ),
        }
      : {}),
  };
}
