// One stage of the flow: a function with its queues, their dead-letter queues, event source mappings and alarms.
import { fileURLToPath } from 'node:url';
import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, LoggingFormat, Runtime, Tracing } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { NodejsFunction } from 'aws-cdk-lib/aws-lambda-nodejs';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { environmentNames, maxReceiveCount, type Stage as StageName, stageLimits } from '../lib/contract.ts';
import { alarmOnFunction, alarmOnQueue } from './alarms.ts';
import { bundling } from './bundling.ts';
import { acknowledgeDeadLetterQueue } from './nag.ts';
import type { SluiceProps } from './props.ts';

export interface FunctionOptions {
  readonly name: StageName | 'sweep';
  readonly timeout: number;
  readonly memoryMiB: number;
  readonly environment: Readonly<Record<string, string>>;
  /** Whether it calls API servers and so belongs into their network. */
  readonly callsClusters: boolean;
}

const functionsFolder = fileURLToPath(new URL('../functions/', import.meta.url));
const projectFolder = fileURLToPath(new URL('../', import.meta.url));

export function createFunction(scope: Construct, props: SluiceProps, options: FunctionOptions): NodejsFunction {
  const network = options.callsClusters ? props.network : undefined;
  const logGroup = new LogGroup(scope, 'Logs', {
    retention: props.logRetention ?? RetentionDays.TWO_WEEKS,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  return new NodejsFunction(scope, 'Function', {
    role: createRole(scope, logGroup, network !== undefined),
    description: `Sluice ${options.name}`,
    entry: `${functionsFolder}${options.name}.ts`,
    projectRoot: projectFolder,
    depsLockFilePath: `${projectFolder}package-lock.json`,
    handler: 'handler',
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    timeout: Duration.seconds(options.timeout),
    memorySize: options.memoryMiB,
    tracing: Tracing.ACTIVE,
    loggingFormat: LoggingFormat.JSON,
    logGroup,
    environment: { ...options.environment, [environmentNames.logLevel]: props.logLevel ?? 'INFO' },
    bundling,
    ...(network ? { vpc: network.vpc } : {}),
    ...(network?.subnets ? { vpcSubnets: network.subnets } : {}),
    ...(network?.securityGroups ? { securityGroups: network.securityGroups } : {}),
  });
}

/** A role of its own instead of AWS's managed policy, which would allow writing to every log group. */
function createRole(scope: Construct, logGroup: LogGroup, inNetwork: boolean): Role {
  const role = new Role(scope, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
  logGroup.grantWrite(role);
  if (inNetwork)
    role.addManagedPolicy(ManagedPolicy.fromAwsManagedPolicyName('service-role/AWSLambdaVPCAccessExecutionRole'));
  return role;
}

export interface StageOptions {
  readonly name: StageName;
  /** Physical names of the queues by construct id; one of them, or for ingest one per cluster. */
  readonly queues: Readonly<Record<string, string | undefined>>;
  readonly environment: Readonly<Record<string, string>>;
  readonly callsClusters: boolean;
}

/** Queues first, then the function, so that functions of other stages can be told the queues' URLs. */
export class Stage extends Construct {
  readonly queues: readonly Queue[];
  readonly deadLetterQueues: readonly Queue[];
  readonly function: NodejsFunction;

  constructor(scope: Construct, id: string, props: SluiceProps & { readonly stage: StageOptions }) {
    super(scope, id);
    const { name, queues, environment, callsClusters } = props.stage;
    const limits = stageLimits[name];
    this.function = createFunction(this, props, { name, ...limits, environment, callsClusters });
    alarmOnFunction(this, props, { name, function: this.function });
    const pairs = Object.entries(queues).map(([queueId, queueName]) => this.addQueue(props, queueId, queueName));
    this.queues = pairs.map((pair) => pair.queue);
    this.deadLetterQueues = pairs.map((pair) => pair.deadLetterQueue);
  }

  private addQueue(props: SluiceProps & { stage: StageOptions }, id: string, queueName: string | undefined) {
    const limits = stageLimits[props.stage.name];
    const common = { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: props.enforceSSL ?? true };
    const deadLetterQueue = new Queue(this, `${id}DeadLetters`, { ...common, retentionPeriod: Duration.days(14) });
    acknowledgeDeadLetterQueue(deadLetterQueue);
    const queue = new Queue(this, id, {
      ...common,
      ...(queueName === undefined ? {} : { queueName }),
      retentionPeriod: Duration.days(4),
      visibilityTimeout: Duration.seconds(props.visibilityTimeout ?? 6 * limits.timeout),
      deadLetterQueue: { queue: deadLetterQueue, maxReceiveCount: props.maxReceiveCount ?? maxReceiveCount },
    });
    this.function.addEventSource(
      new SqsEventSource(queue, {
        batchSize: limits.batchSize,
        reportBatchItemFailures: true,
        // Never reserved concurrency: its pollers over-fetch, and healthy messages end among the dead letters.
        maxConcurrency: props.maxConcurrency?.[props.stage.name] ?? limits.maxConcurrency,
      }),
    );
    alarmOnQueue(this, props, { id, stage: props.stage.name, queue, deadLetterQueue });
    return { queue, deadLetterQueue };
  }
}
