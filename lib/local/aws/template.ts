// Reads the parts of the synthesized CloudFormation template that the embedded AWS emulates; other relevant parts are errors.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { type Physical, pseudoParameters, type Scope } from './intrinsics.ts';
import { type FunctionResource, readFunction } from './resources/function.ts';
import { type EventSourceMappingResource, readMapping } from './resources/mapping.ts';
import { type QueueResource, readQueue } from './resources/queue.ts';
import { fail, type Resource, resource } from './resources/resource.ts';
import { readSchedule, type ScheduleResource } from './resources/schedule.ts';
import { readTable, type TableResource } from './resources/table.ts';

export interface Assembly {
  readonly table: TableResource;
  readonly queues: readonly QueueResource[];
  readonly functions: readonly FunctionResource[];
  readonly mappings: readonly EventSourceMappingResource[];
  readonly schedules: readonly ScheduleResource[];
  /** Pseudo parameters, and template parameters with their defaults. */
  readonly parameters: Scope;
}

const document = z.object({
  Parameters: z.record(z.string(), z.object({ Type: z.string(), Default: z.unknown() })).default({}),
  Resources: z.record(z.string(), resource),
});

/** Resource types that a local run ignores, because it has no IAM, alarms, networks or costs. */
const withoutEffect: readonly RegExp[] = [
  /^AWS::(CDK|CloudFormation|CloudWatch|EC2|EKS|IAM|KMS|Logs|SNS)::/,
  /^AWS::Lambda::Permission$/,
  /^AWS::SQS::QueuePolicy$/,
];

const played = {
  table: ['AWS::DynamoDB::GlobalTable', 'AWS::DynamoDB::Table'],
  queue: ['AWS::SQS::Queue'],
  function: ['AWS::Lambda::Function'],
  mapping: ['AWS::Lambda::EventSourceMapping'],
  schedule: ['AWS::Events::Rule'],
} as const;

/** Throws with the logical id if the template contains something that cannot be emulated. */
export function readAssembly(folder: string, stack = 'Sluice'): Assembly {
  const file = path.join(folder, `${stack}.template.json`);
  const parsed = document.safeParse(JSON.parse(readFileSync(file, 'utf8')));
  if (!parsed.success) throw new Error(`template: ${file} is no template: ${z.prettifyError(parsed.error)}`);
  const { Parameters, Resources } = parsed.data;
  refuseUnknown(Resources);
  const ofKind = <T>(kind: keyof typeof played, read: (id: string, one: Resource) => T): readonly T[] =>
    Object.entries(Resources)
      .filter(([, one]) => played[kind].some((type) => type === one.Type))
      .map(([id, one]) => read(id, one));
  const [table, ...more] = ofKind('table', readTable);
  if (!table || more.length > 0)
    throw new Error(`template: one DynamoDB table expected, ${table ? more.length + 1 : 0} found`);
  const assembly: Assembly = {
    table,
    queues: ofKind('queue', (id, one) => readQueue(id, one, stack)),
    functions: ofKind('function', (id, one) => readFunction(id, one, folder)),
    mappings: ofKind('mapping', readMapping),
    schedules: ofKind('schedule', readSchedule),
    parameters: parametersOf(stack, Parameters),
  };
  checkLinks(assembly);
  // Other functions, such as the dashboard's, are never invoked here.
  const called = new Set([...assembly.mappings, ...assembly.schedules].map((one) => one.function));
  return { ...assembly, functions: assembly.functions.filter(({ logicalId }) => called.has(logicalId)) };
}

function refuseUnknown(resources: Readonly<Record<string, Resource>>): void {
  const known: readonly string[] = Object.values(played).flat();
  for (const [id, { Type }] of Object.entries(resources))
    if (!known.includes(Type) && !withoutEffect.some((pattern) => pattern.test(Type)))
      fail(id, `the embedded AWS has no ${Type}`);
}

function parametersOf(stack: string, parameters: z.infer<typeof document>['Parameters']): Scope {
  const withDefault = Object.entries(parameters).flatMap(([name, { Type, Default }]) =>
    typeof Default === 'string' && !Type.startsWith('AWS::SSM::')
      ? [[name, { ref: Default, attributes: {} }] satisfies [string, Physical]]
      : [],
  );
  return new Map([...pseudoParameters(stack), ...withDefault]);
}

/** Checks references between resources, and combinations that AWS refuses. */
function checkLinks({ queues, functions, mappings, schedules }: Assembly): void {
  const queueOf = new Map(queues.map((one) => [one.logicalId, one]));
  const functionOf = new Map(functions.map((one) => [one.logicalId, one]));
  for (const { logicalId, redrive } of queues)
    if (redrive && !queueOf.has(redrive.deadLetterQueue))
      fail(logicalId, `dead-letter queue ${redrive.deadLetterQueue} is not in the template`);
  for (const { logicalId, queue, function: target } of mappings) {
    const from = queueOf.get(queue) ?? fail(logicalId, `queue ${queue} is not in the template`);
    const to = functionOf.get(target) ?? fail(logicalId, `function ${target} is not in the template`);
    if (from.visibilityTimeout < to.timeoutSeconds)
      fail(
        logicalId,
        `visibility time-out ${from.visibilityTimeout} s is below the function's time-out ${to.timeoutSeconds} s; AWS refuses that`,
      );
  }
  for (const { logicalId, function: target } of schedules)
    if (!functionOf.has(target)) fail(logicalId, `function ${target} is not in the template`);
}
