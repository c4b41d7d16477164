// The synthesized CloudFormation template, read as far as the embedded AWS plays it; anything else that matters is an error.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';

const resource = z.object({
  Type: z.string(),
  Properties: z.record(z.string(), z.unknown()).default({}),
  Metadata: z.record(z.string(), z.unknown()).default({}),
});
const document = z.object({ Resources: z.record(z.string(), resource) });

export interface QueueResource {
  readonly logicalId: string;
  readonly name: string;
  readonly visibilityTimeout: number;
  readonly redrive?: { readonly deadLetterQueue: string; readonly maxReceiveCount: number };
}

export interface FunctionResource {
  readonly logicalId: string;
  /** `Ingest` for `Sluice/Sluice/Ingest/Function/Resource`. */
  readonly stage: string;
  readonly folder: string;
  readonly handler: string;
  readonly timeoutSeconds: number;
  readonly memoryMiB: number;
  readonly environment: Readonly<Record<string, unknown>>;
}

export interface EventSourceMappingResource {
  readonly queue: string;
  readonly function: string;
  readonly batchSize: number;
  readonly maxConcurrency: number;
}

export interface ScheduleResource {
  readonly function: string;
  readonly everyMinutes: number;
}

export interface Assembly {
  readonly table: { readonly logicalId: string; readonly partitionKey: string; readonly sortKey: string };
  readonly queues: readonly QueueResource[];
  readonly functions: readonly FunctionResource[];
  readonly mappings: readonly EventSourceMappingResource[];
  readonly schedules: readonly ScheduleResource[];
}

type Resources = z.infer<typeof document>['Resources'];

/** Throws with the logical id where the template says something that cannot be played. */
export function readAssembly(folder: string, stack = 'Sluice'): Assembly {
  const { Resources } = document.parse(JSON.parse(readFileSync(path.join(folder, `${stack}.template.json`), 'utf8')));
  const ofType = (type: string) => Object.entries(Resources).filter(([, one]) => one.Type === type);
  return {
    table: readTable(Resources),
    queues: ofType('AWS::SQS::Queue').map(([id, one]) => readQueue(id, one.Properties, stack)),
    functions: ofType('AWS::Lambda::Function').map(([id, one]) => readFunction(id, one, folder)),
    mappings: ofType('AWS::Lambda::EventSourceMapping').map(([id, one]) => readMapping(id, one.Properties)),
    schedules: ofType('AWS::Events::Rule').map(([id, one]) => readSchedule(id, one.Properties)),
  };
}

const reference = z.union([
  z.object({ Ref: z.string() }).transform((value) => value.Ref),
  z.object({ 'Fn::GetAtt': z.tuple([z.string(), z.string()]) }).transform((value) => value['Fn::GetAtt'][0]),
]);

function parse<T>(logicalId: string, schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new Error(`template: ${logicalId} cannot be played locally: ${z.prettifyError(parsed.error)}`);
}

function readTable(resources: Resources): Assembly['table'] {
  const found = Object.entries(resources).filter(([, one]) =>
    ['AWS::DynamoDB::GlobalTable', 'AWS::DynamoDB::Table'].includes(one.Type),
  );
  const [entry] = found;
  if (!entry || found.length !== 1) throw new Error(`template: one DynamoDB table expected, ${found.length} found`);
  const schema = z.object({
    KeySchema: z.array(z.object({ AttributeName: z.string(), KeyType: z.enum(['HASH', 'RANGE']) })),
  });
  const { KeySchema } = parse(entry[0], schema, entry[1].Properties);
  const key = (type: string) => KeySchema.find((one) => one.KeyType === type)?.AttributeName ?? '';
  return { logicalId: entry[0], partitionKey: key('HASH'), sortKey: key('RANGE') };
}

const queueProperties = z.object({
  QueueName: z.string().optional(),
  VisibilityTimeout: z.number().default(30),
  RedrivePolicy: z.object({ deadLetterTargetArn: reference, maxReceiveCount: z.number() }).optional(),
});

function readQueue(logicalId: string, properties: unknown, stack: string): QueueResource {
  const { QueueName, VisibilityTimeout, RedrivePolicy } = parse(logicalId, queueProperties, properties);
  return {
    logicalId,
    name: QueueName ?? `${stack}-${logicalId}`,
    visibilityTimeout: VisibilityTimeout,
    ...(RedrivePolicy
      ? {
          redrive: {
            deadLetterQueue: RedrivePolicy.deadLetterTargetArn,
            maxReceiveCount: RedrivePolicy.maxReceiveCount,
          },
        }
      : {}),
  };
}

const functionProperties = z.object({
  Handler: z.string(),
  Timeout: z.number(),
  MemorySize: z.number(),
  Environment: z.object({ Variables: z.record(z.string(), z.unknown()) }).default({ Variables: {} }),
});
const functionMetadata = z.object({ 'aws:asset:path': z.string(), 'aws:cdk:path': z.string() });

function readFunction(logicalId: string, one: Resources[string], folder: string): FunctionResource {
  const properties = parse(logicalId, functionProperties, one.Properties);
  const metadata = parse(logicalId, functionMetadata, one.Metadata);
  return {
    logicalId,
    stage: metadata['aws:cdk:path'].split('/').at(-3) ?? logicalId,
    folder: path.resolve(folder, metadata['aws:asset:path']),
    handler: properties.Handler,
    timeoutSeconds: properties.Timeout,
    memoryMiB: properties.MemorySize,
    environment: properties.Environment.Variables,
  };
}

const mappingProperties = z.object({
  EventSourceArn: reference,
  FunctionName: reference,
  BatchSize: z.number(),
  FunctionResponseTypes: z.tuple([z.literal('ReportBatchItemFailures')]),
  ScalingConfig: z.object({ MaximumConcurrency: z.number() }).optional(),
});

function readMapping(logicalId: string, properties: unknown): EventSourceMappingResource {
  const mapping = parse(logicalId, mappingProperties, properties);
  return {
    queue: mapping.EventSourceArn,
    function: mapping.FunctionName,
    batchSize: mapping.BatchSize,
    maxConcurrency: mapping.ScalingConfig?.MaximumConcurrency ?? 1000,
  };
}

const scheduleProperties = z.object({
  ScheduleExpression: z.string().regex(/^rate\(\d+ minutes?\)$/),
  Targets: z.array(z.object({ Arn: reference })).length(1),
});

function readSchedule(logicalId: string, properties: unknown): ScheduleResource {
  const { ScheduleExpression, Targets } = parse(logicalId, scheduleProperties, properties);
  return { function: Targets[0]?.Arn ?? '', everyMinutes: Number(/\d+/.exec(ScheduleExpression)?.[0]) };
}

/** What Ref and Fn::GetAtt of a resource stand for locally. */
export interface Physical {
  readonly ref: string;
  readonly arn: string;
}

/** A value of the template with its references resolved; any other intrinsic function is an error. */
export function resolveValue(value: unknown, physical: ReadonlyMap<string, Physical>, where: string): string {
  if (typeof value === 'string') return value;
  const join = z.object({ 'Fn::Join': z.tuple([z.string(), z.array(z.unknown())]) }).safeParse(value);
  if (join.success) {
    const [separator, parts] = join.data['Fn::Join'];
    return parts.map((part) => resolveValue(part, physical, where)).join(separator);
  }
  const id = reference.safeParse(value);
  const found = id.success ? physical.get(id.data) : undefined;
  if (!found) throw new Error(`template: ${where}: ${JSON.stringify(value)} cannot be resolved locally`);
  return typeof value === 'object' && value !== null && 'Ref' in value ? found.ref : found.arn;
}
