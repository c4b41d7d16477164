// Resource of a template of any type, and the error for one that cannot be emulated.
import { z } from 'zod';
import { reference } from '../intrinsics.ts';

export const resource = z.object({
  Type: z.string(),
  Properties: z.record(z.string(), z.unknown()).default({}),
  Metadata: z.record(z.string(), z.unknown()).default({}),
});
export type Resource = z.infer<typeof resource>;

export function fail(logicalId: string, why: string): never {
  throw new Error(`template: ${logicalId} cannot be played locally: ${why}`);
}

export function parse<T>(logicalId: string, schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  return parsed.success ? parsed.data : fail(logicalId, z.prettifyError(parsed.error));
}

export const arn = reference
  .refine(({ attribute }) => attribute === 'Arn', {
    error: 'only the Arn of a resource of this template is known here',
  })
  .transform(({ id }) => id);
export const nameOrArn = reference
  .refine(({ attribute }) => attribute === undefined || attribute === 'Arn', { error: 'a name or an Arn is expected' })
  .transform(({ id }) => id);
export const absent = (why: string) => z.undefined({ error: why }).optional();
