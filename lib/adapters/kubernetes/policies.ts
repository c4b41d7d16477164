// Writes the conditions of EvictionPolicies.
import { componentName } from '../../contract.ts';
import { formatInstant } from '../../model/time.ts';
import type { Policies } from '../../ports.ts';
import type { ApiClient } from './apiClient.ts';
import { liveObjects } from './liveObjects.ts';
import { policyResource } from './servedVersion.ts';

export function createPolicies(client: ApiClient): Policies {
  const objects = liveObjects(client, 'EvictionPolicy', policyResource);
  return {
    applyConditions(policy, conditions) {
      const written = conditions.map((one) => ({ ...one, lastTransitionTime: formatInstant(one.lastTransitionTime) }));
      return objects.applyStatus(policy, { manager: componentName, status: { conditions: written } });
    },
  };
}
