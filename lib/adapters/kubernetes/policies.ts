// EvictionPolicies at the API server: read live, and their conditions written.
import { componentName } from '../../contract.ts';
import { formatInstant } from '../../model/time.ts';
import type { Policies } from '../../ports.ts';
import type { ApiClient } from './apiClient.ts';
import { liveObjects } from './liveObjects.ts';
import { projectPolicy } from './projectPolicy.ts';
import { conditionsOf } from './projectRule.ts';
import { policyResource } from './servedVersion.ts';

export function createPolicies(client: ApiClient): Policies {
  const objects = liveObjects(client, 'EvictionPolicy', policyResource);
  return {
    async read(name) {
      const read = await objects.read(name);
      if (read.kind !== 'Found') return read;
      const projected = projectPolicy(read.body);
      const policy = projected.kind === 'Projected' ? projected.object : projected.harmless;
      return policy ? { kind: 'Found', policy, conditions: conditionsOf(read.body) } : { kind: 'NotFound' };
    },
    applyConditions(policy, conditions) {
      const written = conditions.map((one) => ({ ...one, lastTransitionTime: formatInstant(one.lastTransitionTime) }));
      return objects.applyStatus(policy, { manager: componentName, status: { conditions: written } });
    },
  };
}
