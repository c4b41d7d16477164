// Resources served by the simulated API server; add a row for a new custom resource.
import { claimRules } from './claimRules.ts';
import { type KubeObject, mapAt, textAt } from './object.ts';
import { ownRules } from './ownRules.ts';
import { podRules } from './podRules.ts';
import type { FieldError, ResourceType } from './resourceType.ts';
import { sliceRules } from './sliceRules.ts';
import { taintRuleRules } from './taintRuleRules.ts';

export type { ResourceType };

/** Resource type of a Sluice kind. */
function own(kind: string, subresources: ResourceType['subresources']): ResourceType {
  const singular = kind.toLowerCase();
  const plural = singular.endsWith('y') ? `${singular.slice(0, -1)}ies` : `${singular}s`;
  const names = { group: 'sluice.dev', versions: ['v1alpha1'], plural, singular, kind };
  return { ...names, namespaced: false, subresources, hasGeneration: true, isCustom: true, rules: ownRules(kind) };
}

const resourceGroup = { group: 'resource.k8s.io', versions: ['v1', 'v1beta2'] } as const;

export const builtInResources: readonly ResourceType[] = [
  {
    group: '',
    versions: ['v1'],
    plural: 'pods',
    singular: 'pod',
    kind: 'Pod',
    returnsDeleted: true,
    namespaced: true,
    shortNames: ['po'],
    subresources: ['status', 'eviction'],
    hasGeneration: true,
    statusKeepsMetadata: true,
    deletesGracefully: true,
    selectableFields: ['spec.nodeName', 'spec.schedulerName', 'spec.restartPolicy', 'status.phase'],
    rules: podRules,
  },
  {
    group: '',
    versions: ['v1'],
    plural: 'nodes',
    singular: 'node',
    kind: 'Node',
    namespaced: false,
    shortNames: ['no'],
    subresources: ['status'],
    hasGeneration: false,
    selectableFields: ['spec.unschedulable'],
    rules: { initialStatus: (created) => mapAt(created, 'status') ?? {} },
  },
  {
    group: '',
    versions: ['v1'],
    plural: 'namespaces',
    singular: 'namespace',
    kind: 'Namespace',
    namespaced: false,
    shortNames: ['ns'],
    subresources: ['status'],
    hasGeneration: false,
    selectableFields: ['status.phase'],
    rules: { applyDefaults: nameLabel, initialStatus: () => ({ phase: 'Active' }) },
  },
  {
    group: '',
    versions: ['v1'],
    plural: 'events',
    singular: 'event',
    kind: 'Event',
    namespaced: true,
    shortNames: ['ev'],
    subresources: [],
    hasGeneration: false,
    selectableFields: [
      'involvedObject.kind',
      'involvedObject.namespace',
      'involvedObject.name',
      'involvedObject.uid',
      'reason',
      'reportingComponent',
      'type',
    ],
    rules: { validate: eventErrors },
  },
  {
    group: 'policy',
    versions: ['v1'],
    plural: 'poddisruptionbudgets',
    singular: 'poddisruptionbudget',
    kind: 'PodDisruptionBudget',
    returnsDeleted: true,
    namespaced: true,
    shortNames: ['pdb'],
    subresources: ['status'],
    hasGeneration: true,
  },
  {
    ...resourceGroup,
    plural: 'deviceclasses',
    singular: 'deviceclass',
    kind: 'DeviceClass',
    returnsDeleted: true,
    namespaced: false,
    subresources: [],
    hasGeneration: true,
  },
  {
    ...resourceGroup,
    plural: 'devicetaintrules',
    singular: 'devicetaintrule',
    kind: 'DeviceTaintRule',
    namespaced: false,
    subresources: ['status'],
    hasGeneration: true,
    conditionalUpdateOnly: ['v1'],
    rules: taintRuleRules,
  },
  own('DeviceTaintSlice', ['status']),
  own('EvictionPolicy', ['status']),
  own('EvictionStop', []),
  own('PacedTaintRule', ['status']),
  {
    ...resourceGroup,
    plural: 'resourceclaims',
    singular: 'resourceclaim',
    kind: 'ResourceClaim',
    returnsDeleted: true,
    namespaced: true,
    subresources: ['status'],
    hasGeneration: false,
    rules: claimRules,
  },
  {
    ...resourceGroup,
    plural: 'resourceclaimtemplates',
    singular: 'resourceclaimtemplate',
    kind: 'ResourceClaimTemplate',
    returnsDeleted: true,
    namespaced: true,
    subresources: [],
    hasGeneration: false,
  },
  {
    ...resourceGroup,
    plural: 'resourceslices',
    singular: 'resourceslice',
    kind: 'ResourceSlice',
    returnsDeleted: true,
    namespaced: false,
    subresources: [],
    hasGeneration: true,
    selectableFields: ['spec.nodeName', 'spec.driver', 'spec.pool.name'],
    rules: sliceRules,
  },
];

function nameLabel(namespace: KubeObject): KubeObject {
  const { metadata } = namespace;
  const labels = { ...metadata.labels, 'kubernetes.io/metadata.name': metadata.name };
  return { ...namespace, metadata: { ...metadata, labels } };
}

/** An Event about a cluster-scoped object must be in namespace `default`. */
function eventErrors(event: KubeObject): readonly FieldError[] {
  const namespace = textAt(event, 'involvedObject', 'namespace') ?? '';
  if ((namespace || 'default') === event.metadata.namespace) return [];
  const message = `Invalid value: ${JSON.stringify(namespace)}: does not match event.namespace`;
  return [{ field: 'involvedObject.namespace', reason: 'FieldValueInvalid', message }];
}

/** `v1` or `resource.k8s.io/v1`. */
export function apiVersionOf(type: ResourceType, version: string): string {
  return type.group ? `${type.group}/${version}` : version;
}

/** The version under which objects are stored. */
export function storageVersion(type: ResourceType): string {
  return apiVersionOf(type, type.versions[0] ?? 'v1');
}
