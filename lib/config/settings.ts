// Settings of an installation in sluice.yaml and in the functions' environment; small, because functions bundle this file.
import * as z from 'zod/mini';
import type { InstallationSettings } from '../model/snapshot.ts';

/** Explicit settings; others have the defaults of lib/model/snapshot.ts. */
export type ChosenSettings = Partial<InstallationSettings>;

type SettingSchemas = { readonly [Name in keyof InstallationSettings]: z.ZodMiniType<InstallationSettings[Name]> };

export const settingSchemas = {
  workloadClaims: z.union([z.boolean(), z.literal('detect')]),
  extendedResourceClaims: z.boolean(),
  nonPodConsumers: z.boolean(),
  emptyEffectTolerates: z.boolean(),
  holdEmptySelector: z.boolean(),
  releaseStaleConsumers: z.boolean(),
  projectRules: z.boolean(),
  projection: z.strictObject({ maxRules: z.int().check(z.minimum(0), z.maximum(10_000)) }),
} satisfies SettingSchemas;

export const chosenSettings = z.partial(z.strictObject(settingSchemas));
