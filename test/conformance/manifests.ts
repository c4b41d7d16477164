// The objects of a history as manifests, under names of their own for each history.

import { burstAnnotation, rateAnnotation } from '../../lib/decide/rate.ts';
import { resourceApi } from '../../lib/local/cluster/builders.ts';
import type { JsonMap } from '../../lib/local/cluster/object.ts';
import {
  type Added,
  type ClaimSpec,
  type ClaimState,
  type Consumer,
  namespaceOf,
  type PodSpec,
  type ReferenceSpec,
  type ResultSpec,
  type RuleSpec,
  type SliceSpec,
  sliceHomes,
  type TaintSpec,
} from './history.ts';

/** Of one history: its prefix, and the times against which its taints are written. */
export interface Naming {
  readonly prefix: string;
  /** Epoch ms, whole seconds, the same on both sides. */
  readonly start: number;
  readonly change: number;
}

/** A pod's UID on one side, and whether there is one. */
export type UidOf = (pod: number) => string;

export const names = {
  namespace: (prefix: string, of: number) => `${prefix}-${namespaceOf(of)}`,
  driver: (prefix: string, of: number) => `${prefix}-d${of}.example.com`,
  pool: (prefix: string, of: number) => `${prefix}-p${of}`,
  device: (prefix: string, of: number) => `${prefix}-v${of}`,
  slice: (prefix: string, of: number) => `${prefix}-s${of}`,
  rule: (prefix: string, of: number) => `${prefix}-r${of}`,
  claim: (of: number) => `claim-${of}`,
  pod: (of: number) => `pod-${of}`,
  group: (of: number) => `group-${of}`,
};

/** Every pod's. */
export const nodeName = 'node';
export const deviceClassName = 'example.com';
const extendedResource = 'example.com/gpu';

const groupApi = 'scheduling.k8s.io';

function timeAdded(added: Added, { start, change }: Naming): JsonMap {
  if (added.from === 'server') return {};
  const from = added.from === 'start' ? start : change;
  return { timeAdded: new Date(from + added.seconds * 1000).toISOString().replace('.000Z', 'Z') };
}

export function taintOf({ added, ...taint }: TaintSpec, naming: Naming): JsonMap {
  return { ...taint, ...timeAdded(added, naming) };
}

export function sliceManifest(of: number, spec: SliceSpec, naming: Naming): JsonMap {
  const { prefix } = naming;
  const [driver, pool] = sliceHomes[of] ?? [0, 0];
  return {
    apiVersion: resourceApi,
    kind: 'ResourceSlice',
    metadata: { name: names.slice(prefix, of) },
    spec: {
      driver: names.driver(prefix, driver),
      ...(of % 2 === 0 ? { allNodes: true } : { nodeName }),
      pool: { name: names.pool(prefix, pool), generation: spec.generation, resourceSliceCount: 1 },
      devices: spec.devices.map((taints, device) => ({
        name: names.device(prefix, device),
        ...(taints.length > 0 && { taints: taints.map((taint) => taintOf(taint, naming)) }),
      })),
    },
  };
}

/** Unpaced, as far as Sluice can be: the largest rate and burst that it takes. */
const unpaced = { [rateAnnotation]: '10000', [burstAnnotation]: '10000' };

export function ruleManifest(of: number, spec: RuleSpec, naming: Naming): JsonMap {
  const { prefix } = naming;
  const { driver, pool, device } = spec.selector ?? {};
  const selector = {
    ...(driver !== undefined && { driver: names.driver(prefix, driver) }),
    ...(pool !== undefined && { pool: names.pool(prefix, pool) }),
    ...(device !== undefined && { device: names.device(prefix, device) }),
  };
  return {
    apiVersion: resourceApi,
    kind: 'DeviceTaintRule',
    metadata: { name: names.rule(prefix, of), annotations: unpaced },
    spec: { ...(spec.selector && { deviceSelector: selector }), taint: taintOf(spec.taint, naming) },
  };
}

export function claimManifest(of: number, spec: ClaimSpec, by: { prefix: string; uidOf: UidOf }): JsonMap {
  const requests = [
    { name: 'r0', exactly: { deviceClassName } },
    { name: 'r1', firstAvailable: [{ name: 's0', deviceClassName }] },
  ];
  return {
    apiVersion: resourceApi,
    kind: 'ResourceClaim',
    metadata: {
      name: names.claim(of),
      namespace: names.namespace(by.prefix, of),
      ...(spec.owner && { ownerReferences: [ownerOf(spec.owner, by.uidOf)] }),
    },
    spec: { devices: { requests } },
  };
}

function ownerOf(owner: NonNullable<ClaimSpec['owner']>, uidOf: UidOf): JsonMap {
  if (owner.kind === 'PodGroup') {
    const name = names.group(owner.of);
    return { apiVersion: `${groupApi}/v1beta1`, kind: 'PodGroup', name, uid: `${name}-uid`, controller: true };
  }
  const uid = owner.kind === 'Pod' ? uidOf(owner.of) : 'another-owner';
  return { apiVersion: 'v1', kind: 'Pod', name: names.pod(owner.of), uid, controller: true };
}

/** As the scheduler writes it; the second result comes from the first alternative of its request. */
export function claimStatus(state: ClaimState, by: { prefix: string; uidOf: UidOf }): JsonMap {
  if (!state.results) return { allocation: null, reservedFor: null };
  const results = state.results.map((one, i) => allocated(one, i === 0 ? 'r0' : 'r1/s0', by.prefix));
  const reserved = state.reservedFor.map((one) => consumerOf(one, by.uidOf));
  const unique = [...new Map(reserved.map((one) => [one.uid, one])).values()];
  return { allocation: { devices: { results } }, reservedFor: unique };
}

function allocated(one: ResultSpec, request: string, prefix: string): JsonMap {
  return {
    request,
    driver: names.driver(prefix, one.driver),
    pool: names.pool(prefix, one.pool),
    device: names.device(prefix, one.device),
    ...(one.adminAccess && { adminAccess: true }),
    ...(one.share !== undefined && { shareID: `00000000-0000-4000-8000-00000000000${one.share}` }),
    ...(one.tolerations.length > 0 && { tolerations: one.tolerations }),
  };
}

function consumerOf(consumer: Consumer, uidOf: UidOf): { readonly uid: string } & JsonMap {
  switch (consumer.kind) {
    case 'Pod':
      return { resource: 'pods', name: names.pod(consumer.pod), uid: uidOf(consumer.pod) };
    case 'Stranger':
      return { resource: 'pods', name: names.pod(consumer.pod), uid: `stranger-${consumer.pod}` };
    case 'PodGroup': {
      const name = names.group(consumer.group);
      return { apiGroup: groupApi, resource: 'podgroups', name, uid: `${name}-uid` };
    }
    case 'Job':
      return { apiGroup: 'batch', resource: 'jobs', name: 'job', uid: 'job-uid' };
    default:
      return consumer satisfies never;
  }
}

export function podManifest(of: number, spec: PodSpec, prefix: string): JsonMap {
  const claims = spec.references.flatMap(({ by, claim }, i) => {
    if (by === 'extended') return [];
    const source =
      by === 'name' ? { resourceClaimName: names.claim(claim) } : { resourceClaimTemplateName: 'template' };
    return [{ name: `c${i}`, ...source }];
  });
  const resources = { requests: { [extendedResource]: '1' }, limits: { [extendedResource]: '1' } };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: names.pod(of), namespace: names.namespace(prefix, of) },
    spec: {
      resourceClaims: claims,
      ...(spec.group !== undefined && { schedulingGroup: { podGroupName: names.group(spec.group) } }),
      containers: [{ name: 'main', image: 'example.com/main', ...(extendedReferenceOf(spec) && { resources }) }],
    },
  };
}

/** The claim's entry of it is none of spec.resourceClaims. */
export function extendedReferenceOf({ references }: PodSpec): ReferenceSpec | undefined {
  return references.find(({ by }) => by === 'extended');
}

/** As the resourceclaim controller and the scheduler write it. */
export function podStatus(spec: PodSpec): JsonMap | undefined {
  const statuses = spec.references.flatMap((reference, i) => {
    if (reference.by === 'template') return [{ name: `c${i}`, resourceClaimName: names.claim(reference.claim) }];
    return reference.by === 'none' ? [{ name: `c${i}` }] : [];
  });
  const extended = extendedReferenceOf(spec);
  if (statuses.length === 0 && !extended) return undefined;
  const requestMappings = [{ containerName: 'main', resourceName: extendedResource, requestName: 'r0' }];
  return {
    ...(statuses.length > 0 && { resourceClaimStatuses: statuses }),
    ...(extended && {
      extendedResourceClaimStatus: { resourceClaimName: names.claim(extended.claim), requestMappings },
    }),
  };
}
