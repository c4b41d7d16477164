// The parts of a CloudFormation template from which a configuration can be read.
import { z } from 'zod';
import { at } from './at.ts';

export interface TemplateResource {
  readonly id: string;
  readonly type: string;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly deletionPolicy?: string | undefined;
}

export interface Template {
  readonly resources: readonly TemplateResource[];
  readonly outputs: Readonly<Record<string, unknown>>;
  /** Names of the parameters. */
  readonly parameters: readonly string[];
}

const schema = z.object({
  Resources: z.record(
    z.string(),
    z.object({
      Type: z.string(),
      Properties: z.record(z.string(), z.unknown()).default({}),
      DeletionPolicy: z.string().optional(),
    }),
  ),
  Parameters: z.record(z.string(), z.unknown()).default({}),
  Outputs: z.record(z.string(), z.object({ Value: z.unknown() })).default({}),
});

/** Throws if the value is not a template. */
export function readTemplate(value: unknown): Template {
  const parsed = schema.safeParse(value);
  if (!parsed.success)
    throw new Error(`a CloudFormation template cannot be read: ${parsed.error.issues[0]?.message ?? 'no resources'}`);
  const { Resources, Outputs, Parameters } = parsed.data;
  return {
    resources: Object.entries(Resources).map(([id, { Type, Properties, DeletionPolicy }]) => ({
      id,
      type: Type,
      properties: Properties,
      deletionPolicy: DeletionPolicy,
    })),
    outputs: Object.fromEntries(Object.entries(Outputs).map(([name, { Value }]) => [name, Value])),
    parameters: Object.keys(Parameters),
  };
}

/** Logical id in `Ref` or `Fn::GetAtt`. */
export function referredId(value: unknown): string | undefined {
  const id = at(value, 'Ref') ?? at(value, 'Fn::GetAtt', 0);
  return typeof id === 'string' ? id : undefined;
}

export const textOr = <T>(value: unknown, otherwise: T): string | T => (typeof value === 'string' ? value : otherwise);

export const textsIn = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];
