// Local names of the template's resources, and the resulting environment of each function.
import { arnOf } from './account.ts';
import type { FunctionCode } from './functionCode.ts';
import { type Physical, resolveValue, type Scope } from './intrinsics.ts';
import type { LocalQueue } from './queues.ts';
import type { FunctionResource } from './resources/function.ts';
import type { Assembly } from './template.ts';

/** Throws if a variable of a function cannot be resolved. */
export function nameResources(
  assembly: Assembly,
  queues: ReadonlyMap<string, LocalQueue>,
): (
  one: FunctionResource,
  of: {
    /** Variables chosen by the run; they override the template's and may be absent from the template. */
    readonly chosen: Readonly<Record<string, string>>;
    /** Variables with which AWS SDK clients find the local endpoints. */
    readonly client: Readonly<Record<string, string>>;
    readonly onLog: (line: string) => void;
  },
) => FunctionCode {
  const scope = scopeOf(assembly, queues);
  return (one, { chosen, client, onLog }) => {
    const variables = Object.entries(one.environment)
      .filter(([name]) => chosen[name] === undefined)
      .map(([name, value]) => [name, resolveValue(value, scope, `${one.logicalId} variable ${name}`)]);
    return {
      name: functionNameOf(one),
      folder: one.folder,
      handler: one.handler,
      timeoutSeconds: one.timeoutSeconds,
      memoryMiB: one.memoryMiB,
      environment: { ...Object.fromEntries(variables), ...chosen, ...client },
      onLog,
    };
  };
}

function functionNameOf({ stage }: FunctionResource): string {
  return stage.toLowerCase();
}

function scopeOf({ parameters, table, functions }: Assembly, queues: ReadonlyMap<string, LocalQueue>): Scope {
  return new Map<string, Physical>([
    ...parameters,
    [table.logicalId, { ref: table.name, attributes: { Arn: arnOf('dynamodb', `table/${table.name}`) } }],
    ...[...queues].map(([id, { name, url, arn }]): [string, Physical] => [
      id,
      { ref: url, attributes: { Arn: arn, QueueName: name, QueueUrl: url } },
    ]),
    ...functions.map((one): [string, Physical] => [
      one.logicalId,
      { ref: functionNameOf(one), attributes: { Arn: arnOf('lambda', `function:${functionNameOf(one)}`) } },
    ]),
  ]);
}
