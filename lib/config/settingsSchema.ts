// Schema of `settings` with a description of each.
import { z } from 'zod';
import { defaultSettings, type InstallationSettings } from '../model/snapshot.ts';
import { optional } from './schemaParts.ts';
import { settingSchemas } from './settings.ts';

const settingDescriptions: Readonly<Record<keyof InstallationSettings, string>> = {
  workloadClaims: 'claims reserved for a PodGroup count for its pods; `detect`: where the API server serves PodGroups',
  extendedResourceClaims:
    'pods that hold devices through an extended resource are evicted too; `false` leaves them alone, as Kubernetes 1.36 and 1.37 do',
  nonPodConsumers: 'claims reserved for a consumer that is not a pod count for all pods that refer to them (KEP-5194)',
  emptyEffectTolerates: 'a toleration with an empty effect also tolerates NoExecute taints of devices',
  holdEmptySelector: 'a rule with an empty selector, which selects every device, is held until it is approved',
  releaseStaleConsumers:
    'reservations of consumers that are not pods and no longer exist are removed from claims; needs the value rbac.release=true of the chart',
  projectRules:
    'taints of PacedTaintRules and DeviceTaintSlices are projected into native rules, so that the scheduler keeps new pods away; needs the value rbac.projection=true of the chart',
  projection: 'limits of that projection',
};

z.globalRegistry.add(settingSchemas.projection.shape.maxRules, {
  description: 'native rules of one PacedTaintRule or DeviceTaintSlice at most; one that needs more is not projected',
  default: defaultSettings.projection.maxRules,
});

export const settingsSchema = z
  .strictObject(
    Object.fromEntries(
      Object.entries(settingSchemas).map(([name, schema]) => {
        const key = name as keyof InstallationSettings;
        return [key, optional(schema, settingDescriptions[key], defaultSettings[key])];
      }),
    ) as unknown as { [Name in keyof InstallationSettings]: z.ZodOptional<z.ZodType<InstallationSettings[Name]>> },
  )
  .describe('how objects are read, and what Sluice does beside evicting');
