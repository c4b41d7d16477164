// Pieces that the schemas of sluice.yaml share: documented defaults and the words of a refusal.
import { z } from 'zod';

/** Words of a refusal behind the value: `must be …`. */
export const must = (what: string) => ({ error: `must ${what}` });

/**
 * A key that may be left out. What holds then is documented and not filled in, so that the part that uses the value keeps the
 * only default.
 */
export function optional<Schema extends z.core.$ZodType>(schema: Schema, description: string, value: unknown) {
  return z.optional(schema).meta({ description, default: value });
}

/** The same where what holds then is no value of that key. */
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
