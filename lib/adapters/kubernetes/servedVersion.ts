// The API version in which an API server serves a resource; found once and cached until a caller reports it as no longer served.
import type { ObjectKind } from '../../model/projection.ts';
import type { ApiFailure } from '../../ports.ts';
import type { ApiClient } from './apiClient.ts';
import { failureOf, saysNotServed } from './apiFailure.ts';
import { type Json, listOf } from './read.ts';

export interface Resource {
  /** Plural name, as in paths. */
  readonly name: string;
  /** `/apis/<group>`, or `/api` for the core group. */
  readonly group: string;
  /** Most preferred first. */
  readonly versions: readonly string[];
}

export const podResource: Resource = { name: 'pods', group: '/api', versions: ['v1'] };
export const namespaceResource: Resource = { name: 'namespaces', group: '/api', versions: ['v1'] };
/** Every version that has ever carried device taints (KEP-5055). */
const dra = '/apis/resource.k8s.io';
export const ruleResource: Resource = { name: 'devicetaintrules', group: dra, versions: ['v1', 'v1beta2', 'v1alpha3'] };
export const claimResource: Resource = { name: 'resourceclaims', group: dra, versions: ['v1', 'v1beta2', 'v1beta1'] };
export const sliceResource: Resource = { name: 'resourceslices', group: dra, versions: ['v1', 'v1beta2', 'v1beta1'] };

export const classResource: Resource = { name: 'deviceclasses', group: dra, versions: ['v1', 'v1beta2', 'v1beta1'] };
/** Sluice's own API; absent until its CRDs are installed. */
export const pacedRuleResource: Resource = {
  name: 'pacedtaintrules',
  group: '/apis/sluice.dev',
  versions: ['v1alpha1'],
};

export const taintSliceResource: Resource = {
  name: 'devicetaintslices',
  group: '/apis/sluice.dev',
  versions: ['v1alpha1'],
};

export const policyResource: Resource = { name: 'evictionpolicies', group: '/apis/sluice.dev', versions: ['v1alpha1'] };

/** Never stored: the API server is asked for stops right before each eviction. */
export const stopResource: Resource = { name: 'evictionstops', group: '/apis/sluice.dev', versions: ['v1alpha1'] };

/** The resources of all kinds that Sluice stores. */
export const resources: Readonly<Record<ObjectKind, Resource>> = {
  Pod: podResource,
  Namespace: namespaceResource,
  ResourceClaim: claimResource,
  ResourceSlice: sliceResource,
  DeviceClass: classResource,
  DeviceTaintRule: ruleResource,
  PacedTaintRule: pacedRuleResource,
  DeviceTaintSlice: taintSliceResource,
  EvictionPolicy: policyResource,
};

/** Only checked for being served: claims refer to PodGroups by name, and no decision reads a PodGroup (KEP-5729). */
export const podGroupResource: Resource = {
  name: 'podgroups',
  group: '/apis/scheduling.k8s.io',
  versions: ['v1', 'v1beta1', 'v1alpha3', 'v1alpha2'],
};

export type Served =
  | { readonly kind: 'Served'; readonly version: string }
  | { readonly kind: 'NotServed' }
  | ApiFailure;

/**
 * Tries the versions in order of preference. A kind counts as not served only if the API server itself says so: any other response (a
 * proxy's page, a truncated body) leaves it unknown.
 */
export async function findServed(client: ApiClient, resource: Resource): Promise<Served> {
  for (const version of resource.versions) {
    const path = `${resource.group}/${version}`;
    const groupVersion = path.replace(/^\/apis?\//, '');
    const request = { method: 'GET', path, subject: `API ${groupVersion}` } as const;
    const answer = await client.send(request);
    if (saysNotServed(answer)) continue;
    if (answer.kind !== 'Answer' || answer.status !== 200 || !isResourceList(answer.body, groupVersion))
      return failureOf(request, answer);
    if (listOf(answer.body.resources).some((one) => one.name === resource.name)) return { kind: 'Served', version };
  }
  return { kind: 'NotServed' };
}

function isResourceList(body: Json, groupVersion: string): boolean {
  return body.kind === 'APIResourceList' && body.groupVersion === groupVersion && Array.isArray(body.resources);
}

export interface ServedVersion {
  get(): Promise<Served>;
  /** The version returned 404 for the whole resource: `get` asks again. */
  forget(): void;
}

export function rememberServed(client: ApiClient, resource: Resource): ServedVersion {
  let found: Promise<Served> | undefined;
  return {
    async get() {
      found ??= findServed(client, resource);
      const served = await found;
      if (served.kind !== 'Served') found = undefined;
      return served;
    },
    forget() {
      found = undefined;
    },
  };
}
