// Rules of both kinds at the API server: read live, and their conditions and times written.
import { componentName } from '../../contract.ts';
import { type AnyRule, parseRuleRef } from '../../model/rule.ts';
import { formatInstant } from '../../model/time.ts';
import type { LiveRules, RuleStatusWriter } from '../../ports.ts';
import type { ApiClient } from './apiClient.ts';
import { type LiveObjects, liveObjects, writtenTimes } from './liveObjects.ts';
import { projectPacedRule } from './projectPacedRule.ts';
import { conditionsOf, projectRule } from './projectRule.ts';
import { pacedRuleResource, ruleResource } from './servedVersion.ts';

/** Both ports over one client. */
export function createRules(client: ApiClient): {
  readonly liveRules: LiveRules;
  readonly ruleStatus: RuleStatusWriter;
} {
  const objects: Readonly<Record<AnyRule['kind'], LiveObjects>> = {
    DeviceTaintRule: liveObjects(client, 'DeviceTaintRule', ruleResource),
    PacedTaintRule: liveObjects(client, 'PacedTaintRule', pacedRuleResource),
  };
  return {
    liveRules: {
      async read(ref) {
        const { kind, name } = parseRuleRef(ref);
        const read = await objects[kind].read(name);
        if (read.kind !== 'Found') return read;
        const projected = kind === 'DeviceTaintRule' ? projectRule(read.body) : projectPacedRule(read.body);
        const rule = projected.kind === 'Projected' ? projected.object : projected.harmless;
        if (!rule) return { kind: 'RetryLater', after: 1000, why: `${kind} ${name} has no identity` };
        return { kind: 'Found', rule, conditions: conditionsOf(read.body) };
      },
    },
    ruleStatus: {
      apply(rule, conditions, part) {
        const manager = part === undefined ? componentName : `${componentName}-${part}`;
        const written = conditions.map((one) => ({
          ...one,
          lastTransitionTime: formatInstant(one.lastTransitionTime),
        }));
        return objects[rule.kind ?? 'DeviceTaintRule'].applyStatus(rule, { manager, status: { conditions: written } });
      },
      applySeen(rule, seen) {
        const taints = seen.map((one) => ({ key: one.key, effect: one.effect, ...writtenTimes(one) }));
        const manager = `${componentName}-time`;
        return objects[rule.kind ?? 'DeviceTaintRule'].applyStatus(rule, { manager, status: { taints } });
      },
    },
  };
}
