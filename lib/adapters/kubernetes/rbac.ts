// What Sluice may do in a cluster: the rules of its roles, in one place, and as manifests.
import { stringify } from 'yaml';

export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

const dra = 'resource.k8s.io';
const own = 'sluice.dev';

/** Reads everything that a verdict depends on, writes nothing. */
export const watcherRules: readonly PolicyRule[] = [
  { apiGroups: [''], resources: ['pods', 'namespaces'], verbs: ['list', 'watch'] },
  {
    apiGroups: [dra],
    resources: ['resourceclaims', 'resourceslices', 'devicetaintrules', 'deviceclasses'],
    verbs: ['list', 'watch'],
  },
  {
    apiGroups: [own],
    resources: ['pacedtaintrules', 'devicetaintslices', 'evictionpolicies'],
    verbs: ['list', 'watch'],
  },
];

/** Evicts, reads from the API server all that decides about a pod right before it (docs/reference/live-reads.md), and says what it did. */
export const evictRules: readonly PolicyRule[] = [
  { apiGroups: [''], resources: ['pods'], verbs: ['delete', 'list'] },
  { apiGroups: [''], resources: ['pods/status'], verbs: ['patch'] },
  { apiGroups: [''], resources: ['pods/eviction'], verbs: ['create'] },
  { apiGroups: [''], resources: ['events'], verbs: ['create'] },
  { apiGroups: [''], resources: ['namespaces'], verbs: ['list'] },
  {
    apiGroups: [dra],
    resources: ['resourceclaims', 'resourceslices', 'devicetaintrules', 'deviceclasses'],
    verbs: ['list'],
  },
  {
    apiGroups: [own],
    resources: ['pacedtaintrules', 'devicetaintslices', 'evictionpolicies', 'evictionstops'],
    verbs: ['list'],
  },
];

/** Writes the status of rules and policies, records Events, and lists pods and budgets for plans. Deletes and marks no pod. */
export const reportRules: readonly PolicyRule[] = [
  { apiGroups: [''], resources: ['pods', 'namespaces'], verbs: ['list'] },
  { apiGroups: [''], resources: ['events'], verbs: ['create'] },
  { apiGroups: ['policy'], resources: ['poddisruptionbudgets'], verbs: ['list'] },
  { apiGroups: [dra], resources: ['devicetaintrules'], verbs: ['list'] },
  { apiGroups: [dra], resources: ['devicetaintrules/status'], verbs: ['patch'] },
  {
    apiGroups: [own],
    resources: ['pacedtaintrules', 'devicetaintslices', 'evictionpolicies', 'evictionstops'],
    verbs: ['list'],
  },
  {
    apiGroups: [own],
    resources: ['pacedtaintrules/status', 'devicetaintslices/status', 'evictionpolicies/status'],
    verbs: ['patch'],
  },
];

/**
 * Removes reservations of consumers that are gone; bound only with the setting `releaseStaleConsumers`. Each kind of consumer
 * needs `get` besides: an entry of a kind that may not be read waits.
 */
export const releaseRules: readonly PolicyRule[] = [
  { apiGroups: [dra], resources: ['resourceclaims'], verbs: ['list'] },
  { apiGroups: [dra], resources: ['resourceclaims/status'], verbs: ['patch'] },
];

/** Writes native rules for PacedTaintRules and DeviceTaintSlices; bound only where the scheduler is told (setting `projectRules`). */
export const projectionRules: readonly PolicyRule[] = [
  { apiGroups: [dra], resources: ['devicetaintrules'], verbs: ['list', 'create', 'delete'] },
];

/** Looks for another controller that acts on the same taints, so that only one ever acts. */
export const ownershipRules: readonly PolicyRule[] = [
  { apiGroups: [''], resources: ['events'], verbs: ['list'] },
  { apiGroups: [dra], resources: ['devicetaintrules'], verbs: ['list'] },
];

/** Asks an in-tree controller to show itself by a rule that does nothing; bound only where people want to be sure. */
export const probeRules: readonly PolicyRule[] = [
  { apiGroups: [dra], resources: ['devicetaintrules'], verbs: ['list', 'get', 'create', 'delete'] },
];

/** One rule per resource, with all verbs that any of the given rules grants on it, in a stable order. */
export function unionOf(...roles: readonly (readonly PolicyRule[])[]): readonly PolicyRule[] {
  const verbs = new Map<string, Set<string>>();
  for (const rule of roles.flat()) {
    for (const apiGroup of rule.apiGroups) {
      for (const resource of rule.resources) {
        const key = `${apiGroup}|${resource}`;
        verbs.set(key, new Set([...(verbs.get(key) ?? []), ...rule.verbs]));
      }
    }
  }
  return [...verbs]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, granted]) => {
      const [apiGroup = '', resource = ''] = key.split('|');
      return { apiGroups: [apiGroup], resources: [resource], verbs: [...granted].sort() };
    });
}

export function clusterRole(name: string, rules: readonly PolicyRule[]): object {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name, labels: { 'app.kubernetes.io/part-of': 'sluice' } },
    rules,
  };
}

const bind = '# Bind it: kubectl create clusterrolebinding sluice --clusterrole=sluice --user=<name of the user>';
const probe = [
  '# Without this one Sluice cannot rule out an in-tree controller that acts on native rules, and only watches them.',
  '# Bind it: kubectl create clusterrolebinding sluice-probe --clusterrole=sluice-probe --user=<name of the user>',
].join('\n');

/** The roles of a local run, which watches, evicts and looks for another owner under one identity; YAML. */
export function renderRbac(): string {
  const roles = [
    `${bind}\n${stringify(clusterRole('sluice', unionOf(watcherRules, evictRules, reportRules, ownershipRules)))}`,
    `${probe}\n${stringify(clusterRole('sluice-probe', probeRules))}`,
  ];
  return roles.join('---\n');
}
