// Schemas of common message fields: names, texts, versions, instants.
import * as z from 'zod/mini';
import en from 'zod/v4/locales/en.js';

// Without a locale every message is just "Invalid input".
z.config(en());

export const text = z.string();
export const name = z.string().check(z.minLength(1), z.maxLength(600));
export const version = z.string().check(z.regex(/^\d{1,20}$/, 'must be a decimal number'));
/** A UID, optionally followed by a dot and a person's annotation value (docs/reference/incarnations.md). */
export const incarnation = z.string().check(z.regex(/^[A-Za-z0-9-]{1,100}(\.[A-Za-z0-9-]{1,40})?$/, 'must be a UID'));
export const clusterId = z.templateLiteral([z.string().check(z.regex(/^[a-zA-Z0-9-]{1,100}$/)), '@', incarnation]);
export const instant = z.int().check(z.minimum(-8.64e15), z.maximum(8.64e15));

export const objectKind = z.enum([
  'Pod',
  'ResourceClaim',
  'ResourceSlice',
  'DeviceTaintRule',
  'PacedTaintRule',
  'DeviceTaintSlice',
  'EvictionPolicy',
  'DeviceClass',
  'Namespace',
]);
