// Writes the status of DeviceTaintSlices.
import { componentName } from '../../contract.ts';
import type { TaintSlices } from '../../ports.ts';
import type { ApiClient } from './apiClient.ts';
import { liveObjects, writtenTimes } from './liveObjects.ts';
import { taintSliceResource } from './servedVersion.ts';
import { writtenConditions } from './writtenConditions.ts';

export function createTaintSlices(client: ApiClient): TaintSlices {
  const objects = liveObjects(client, 'DeviceTaintSlice', taintSliceResource);
  return {
    applyConditions(slice, conditions, part) {
      const status = { conditions: writtenConditions(conditions) };
      return objects.applyStatus(slice, { manager: `${componentName}-${part}`, status });
    },
    applyStatus(slice, { seen, counts }) {
      const taints = seen.map(({ device, key, effect, ...times }) => ({ device, key, effect, ...writtenTimes(times) }));
      const status = { ...counts, observedGeneration: slice.generation, taints };
      return objects.applyStatus(slice, { manager: componentName, status });
    },
  };
}
