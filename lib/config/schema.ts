// Schema of sluice.yaml: type, range, meaning and default of every key.
import { z } from 'zod';
import { defaultRecordDays, maxReceiveCount, stageLimits, stages } from '../contract.ts';
import { alarmsSchema, networkSchema } from './accountSchemas.ts';
import { clusterSchema } from './clusterSchema.ts';
import { must, optional, optionalElse, whole } from './schemaParts.ts';
import { settingsSchema } from './settingsSchema.ts';

const stackSchema = z.strictObject({
  name: optional(
    z
      .string()
      .regex(/^[A-Za-z][A-Za-z0-9-]{0,127}$/, must('be letters, digits and dashes, beginning with a letter'))
      .regex(/^(?!.*-ingest(-|$))/, must('not contain -ingest, by which the names of queues are told apart')),
    'name of the CloudFormation stack; queues are named after it',
    'Sluice',
  ),
  account: optionalElse(
    z.string().regex(/^\d{12}$/, must('be the 12 digits of an AWS account, in quotes')),
    'AWS account of the stack, in quotes; a deployment to another account fails',
    'the account of the credentials',
  ),
  region: optionalElse(
    z.string().regex(/^[a-z]{2}(-[a-z]+)+-\d$/, must('be an AWS region such as eu-west-1')),
    'AWS region of the stack',
    'the region of the environment',
  ),
  credentials: optional(
    z.enum(['bootstrap', 'cli']),
    '`bootstrap`: CDK deploys through the roles that `cdk bootstrap` makes; `cli`: with the credentials of the command line',
    'bootstrap',
  ),
});

const logDays = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
];

const stageSchemas = Object.fromEntries(
  stages.map((stage) => {
    const { timeout, memoryMiB, batchSize, maxConcurrency } = stageLimits[stage];
    const schema = z.strictObject({
      timeout: optional(whole(1, 900), 'seconds that an invocation may take', timeout),
      memoryMiB: optional(whole(128, 10_240), 'memory of the function in MiB', memoryMiB),
      batchSize: optional(whole(1, 10), 'messages of one invocation', batchSize),
      maxConcurrency: optional(whole(2, 1000), 'invocations side by side', maxConcurrency),
    });
    return [stage, schema.optional().meta({ description: `limits of the ${stage} stage` })];
  }),
);

export const limitsSchema = z
  .strictObject({
    ...stageSchemas,
    visibilityTimeout: optionalElse(
      whole(1, 43_200),
      'seconds before an unfinished message is delivered again; shortens time-outs that were not set',
      'six times the time-out of the stage',
    ),
    maxReceiveCount: optional(
      whole(1, 1000),
      'deliveries before a message moves to the dead-letter queue',
      maxReceiveCount,
    ),
  })
  .describe('limits of the functions and queues');

export const logLevels = ['DEBUG', 'INFO', 'WARN', 'ERROR'] as const;
export type LogLevel = (typeof logLevels)[number];

export const configSchema = z.strictObject({
  stack: stackSchema.optional().describe('the CloudFormation stack'),
  clusters: z
    .array(clusterSchema)
    .min(1, must('name at least one cluster'))
    .describe('the clusters of the installation'),
  settings: settingsSchema.optional(),
  network: networkSchema.optional(),
  alarms: alarmsSchema.optional(),
  encryption: z
    .strictObject({
      keyArn: z
        .string()
        .regex(/^arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:key\/.+$/, must('be the ARN of a KMS key'))
        .describe('ARN of a customer-managed KMS key for the table; its policy must let the account use IAM policies'),
    })
    .optional()
    .describe('without it, the table is encrypted by a key that AWS owns'),
  retention: z
    .strictObject({
      logs: optional(
        z.literal([...logDays, 'forever'], must(`be one of ${logDays.join(', ')}, forever`)),
        'days for which CloudWatch keeps the functions’ logs',
        14,
      ),
      records: optional(whole(1, 3650), 'days for which the table keeps records of evictions', defaultRecordDays),
    })
    .optional()
    .describe('how long logs and records are kept'),
  removal: z
    .strictObject({
      policy: optional(
        z.enum(['retain', 'destroy']),
        'what happens to table and queues that leave the stack',
        'retain',
      ),
      deletionProtection: optionalElse(
        z.boolean(),
        'DynamoDB refuses to delete the table',
        'true, unless `policy` is destroy',
      ),
      terminationProtection: optionalElse(
        z.boolean(),
        'CloudFormation refuses to delete the stack',
        'true, unless `policy` is destroy',
      ),
    })
    .optional()
    .describe('what protects table, queues and stack from removal'),
  limits: limitsSchema.optional(),
  logLevel: optional(z.enum(logLevels), 'least severe log lines that functions write', 'INFO'),
  tags: optionalElse(
    z.record(z.string().min(1).max(128), z.string().max(256)),
    'tags of the stack and of all its resources',
    'application: sluice',
  ),
  emulator: z
    .strictObject({
      plainHttp: optional(z.boolean(), 'queues accept plain HTTP, for emulators without TLS', false),
      batchActions: optional(
        z.boolean(),
        'grants the names under which emulators authorise batches of messages; AWS does not know them',
        false,
      ),
    })
    .optional()
    .describe('for emulated AWS accounts only'),
});

export type Config = z.infer<typeof configSchema>;
