// The RBAC rules of Sluice's roles, in one place, and rendered as manifests.
import { stringify } from 'yaml';

export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

const dra = 'resource.k8s.io';
const own = 'sluice.dev';

/** Reads all inputs of a verdict, writes nothing. */
export const watcherRules: readonly PolicyRule[] = [
  { apiGroups: [''], resources: ['pods', 'namespaces'], verbs: ['list', 'watch'] },
  {
    apiGroups: [dra],
    resources: ['resourceclaims', 'resourceslices', 'devicetaintrules', 'deviceclasses'],
    verbs: ['list', 'watch'],
  },
  {
    apiGroups: [own],
    resources: ['pacedtaintrules', 'devicetaintslices', 'evictionpolicies', 'evictionstops'],
    verbs: ['list', 'watch'],
  },
];

/** Evicts, rereads all inputs of the decision right before it (docs/reference/live-reads.md), and records Events and conditions. */
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

/** Writes the status of rules and policies, records Events, and lists pods and PDBs for plans. Neither deletes nor marks pods. */
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
 * Removes reservations of consumers that no longer exist; bound only with the setting `releaseStaleConsumers`. Each kind of consumer also
 * needs `get`: entries of other kinds are kept.
 */
export const releaseRules: readonly PolicyRule[] = [
  { apiGroups: [dra], resources: ['resourceclaims'], verbs: ['list'] },
  { apiGroups: [dra], resources: ['resourceclaims/status'], verbs: ['patch'] },
];

/** Writes native rules for PacedTaintRules and DeviceTaintSlices; bound only with the setting `projectRules`. */
export const projectionRules: readonly PolicyRule[] = [
  { apiGroups: [dra], resources: ['devicetaintrules'], verbs: ['list', 'create', 'delete'] },
];

/** Detects another controller for the same taints, so that only one ever acts. */
export const ownershipRules: readonly PolicyRule[] = [
  { apiGroups: [''], resources: ['events'], verbs: ['list'] },
  { apiGroups: [dra], resources: ['devicetaintrules'], verbs: ['list'] },
];

/** Probes for an in-tree controller with a rule that does nothing; optional. */
export const probeRules: readonly PolicyRule[] = [
  { apiGroups: [dra], resources: ['devicetaintrules'], verbs: ['list', 'get', 'create', 'delete'] },
];

/** One rule per resource, with all verbs that the given rules grant on the resource, in a stable order. */
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

/** The roles of a local run, which watches, evicts and detects another owner with one identity; YAML. */
export function renderRbac(): string {
  const roles = [
    `${bind}\n${stringify(clusterRole('sluice', unionOf(watcherRules, evictRules, reportRules, ownershipRules)))}`,
    `${probe}\n${stringify(clusterRole('sluice-probe', probeRules))}`,
  ];
  return roles.join('---\n');
}
