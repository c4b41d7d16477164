// Writes the conditions of EvictionPolicies.
import { componentName } from '../../contract.ts';
import type { Policies } from '../../ports.ts';
import type { ApiClient } from './apiClient.ts';
import { liveObjects } from './liveObjects.ts';
import { policyResource } from './servedVersion.ts';
import { writtenConditions } from './writtenConditions.ts';

export function createPolicies(client: ApiClient): Policies {
  const objects = liveObjects(client, 'EvictionPolicy', policyResource);
  return {
    applyConditions(policy, conditions) {
      const status = { conditions: writtenConditions(conditions) };
      return objects.applyStatus(policy, { manager: componentName, status });
    },
  };
}
