// One Lambda function with its own bundle, role and log group.
import { cpSync, existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { Effect, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Code, LoggingFormat, Runtime, Tracing } from 'aws-cdk-lib/aws-lambda';
import { NodejsFunction, type NodejsFunctionProps } from 'aws-cdk-lib/aws-lambda-nodejs';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { environmentNames } from '../lib/contract.ts';
import { alarmOnFunction } from './alarms.ts';
import { bundlingWith } from './bundling.ts';
import type { FunctionName } from './grants.ts';
import { accept } from './nag.ts';
import type { SluiceProps } from './props.ts';

export interface FunctionOptions {
  readonly name: FunctionName;
  /** Seconds. */
  readonly timeout: number;
  readonly memoryMiB: number;
  readonly environment: Readonly<Record<string, string>>;
  /** Files beside the bundle: content by name. */
  readonly files: Readonly<Record<string, string>>;
  /** Whether it calls API servers, and therefore runs in their network. */
  readonly callsClusters: boolean;
}

const project = fileURLToPath(new URL('../', import.meta.url));

export function createFunction(scope: Construct, props: SluiceProps, options: FunctionOptions): NodejsFunction {
  const network = options.callsClusters ? props.network : undefined;
  const logGroup = new LogGroup(scope, 'Logs', {
    retention: props.logRetention ?? RetentionDays.TWO_WEEKS,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  const created = new NodejsFunction(scope, 'Function', {
    role: createRole(scope, logGroup, network !== undefined),
    description: `Sluice ${options.name}`,
    ...codeOf(options),
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    timeout: Duration.seconds(options.timeout),
    memorySize: options.memoryMiB,
    tracing: Tracing.ACTIVE,
    loggingFormat: LoggingFormat.JSON,
    logGroup,
    environment: { ...options.environment, [environmentNames.logLevel]: props.logLevel ?? 'INFO' },
    ...(network ? { vpc: network.vpc } : {}),
    ...(network?.subnets ? { vpcSubnets: network.subnets } : {}),
    ...(network?.securityGroups ? { securityGroups: network.securityGroups } : {}),
  });
  accept(created, 'functionWithoutDeadLetters');
  alarmOnFunction(scope, props, { name: options.name, function: created });
  return created;
}

/** The published package contains bundles instead of sources, so that apps with the construct need no esbuild. */
function codeOf({ name, files }: FunctionOptions): Partial<NodejsFunctionProps> {
  const bundle = `${project}functions/${name}`;
  if (existsSync(`${bundle}/index.mjs`))
    return { code: Code.fromAsset(withFiles(bundle, files)), handler: 'index.handler' };
  return {
    entry: `${bundle}.ts`,
    projectRoot: project,
    depsLockFilePath: `${project}package-lock.json`,
    handler: 'handler',
    bundling: bundlingWith(files),
  };
}

/** A folder with a copy of the bundle and the files, because CDK assets are folders. */
function withFiles(bundle: string, files: FunctionOptions['files']): string {
  if (Object.keys(files).length === 0) return bundle;
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-function-'));
  cpSync(bundle, folder, { recursive: true });
  for (const [file, text] of Object.entries(files)) writeFileSync(path.join(folder, file), text);
  return folder;
}

/** Actions that Lambda itself needs under the function's role to attach it to a VPC; they are granted without resources. */
const networkActions = [
  'ec2:CreateNetworkInterface',
  'ec2:DescribeNetworkInterfaces',
  'ec2:DescribeSubnets',
  'ec2:DeleteNetworkInterface',
  'ec2:AssignPrivateIpAddresses',
  'ec2:UnassignPrivateIpAddresses',
];

/** Without AWS managed policies, which would allow writing to every log group. */
function createRole(scope: Construct, logGroup: LogGroup, inNetwork: boolean): Role {
  const role = new Role(scope, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
  logGroup.grantWrite(role);
  if (inNetwork)
    role.addToPolicy(new PolicyStatement({ effect: Effect.ALLOW, actions: networkActions, resources: ['*'] }));
  accept(role, inNetwork ? 'network' : 'tracing');
  return role;
}
