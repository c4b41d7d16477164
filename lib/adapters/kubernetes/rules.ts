// Writes the conditions, taint times and rates of rules of both kinds to the API server.
import { componentName } from '../../contract.ts';
import type { AnyRule } from '../../model/rule.ts';
import type { RuleStatusWriter } from '../../ports.ts';
import type { ApiClient } from './apiClient.ts';
import { type LiveObjects, liveObjects, writtenTimes } from './liveObjects.ts';
import { pacedRuleResource, ruleResource } from './servedVersion.ts';
import { writtenConditions } from './writtenConditions.ts';

export function createRuleStatus(client: ApiClient): RuleStatusWriter {
  const objects: Readonly<Record<AnyRule['kind'], LiveObjects>> = {
    DeviceTaintRule: liveObjects(client, 'DeviceTaintRule', ruleResource),
    PacedTaintRule: liveObjects(client, 'PacedTaintRule', pacedRuleResource),
  };
  return {
    apply(rule, conditions, part) {
      const manager = part === undefined ? componentName : `${componentName}-${part}`;
      const status = { conditions: writtenConditions(conditions) };
      return objects[rule.kind ?? 'DeviceTaintRule'].applyStatus(rule, { manager, status });
    },
    applySeen(rule, seen) {
      const taints = seen.map((one) => ({ key: one.key, effect: one.effect, ...writtenTimes(one) }));
      const manager = `${componentName}-time`;
      return objects[rule.kind ?? 'DeviceTaintRule'].applyStatus(rule, { manager, status: { taints } });
    },
    applyRate(rule, rate) {
      const manager = `${componentName}-rate`;
      return objects[rule.kind ?? 'DeviceTaintRule'].applyStatus(rule, { manager, status: { rate } });
    },
  };
}
