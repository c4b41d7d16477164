// Parts shared by the schemas of sluice.yaml: documented defaults, and texts of problems.
import { z } from 'zod';

/** Text of a problem, appended to the value: `must be …`. */
export const must = (what: string) => ({ error: `must ${what}` });

/**
 * Optional key. `value`: its default for documentation only; the schema does not fill it in, so that the code that uses the value
 * remains the only source of the default.
 */
export function optional<Schema extends z.core.$ZodType>(schema: Schema, description: string, value: unknown) {
  return z.optional(schema).meta({ description, default: value });
}

/** Optional key whose absence is described by a text instead of a default value. */
export function optionalElse<Schema extends z.core.$ZodType>(schema: Schema, description: string, absent: string) {
  return z.optional(schema).meta({ description, absent });
}

export const whole = (lowest: number, highest: number) =>
  z
    .int(must(`be a whole number from ${lowest} to ${highest}`))
    .min(lowest, must(`be a whole number from ${lowest} to ${highest}`))
    .max(highest, must(`be a whole number from ${lowest} to ${highest}`));

export const rate = z
  .number()
  .min(0, must('be a number from 0 to 10000'))
  .max(10_000, must('be a number from 0 to 10000'));
