// Where each kind is served, newest version first.
import type { ObjectKind } from '../model/objects.ts';
import type { ApiReader } from './apiReader.ts';

export interface KindSource {
  readonly kind: ObjectKind;
  readonly group: string;
  readonly plural: string;
  readonly versions: readonly string[];
}

export const kindSources: readonly KindSource[] = [
  { kind: 'ResourceSlice', group: 'resource.k8s.io', plural: 'resourceslices', versions: ['v1', 'v1beta2', 'v1beta1'] },
  {
    kind: 'DeviceTaintRule',
    group: 'resource.k8s.io',
    plural: 'devicetaintrules',
    versions: ['v1', 'v1beta2', 'v1alpha3'],
  },
  { kind: 'ResourceClaim', group: 'resource.k8s.io', plural: 'resourceclaims', versions: ['v1', 'v1beta2', 'v1beta1'] },
  { kind: 'Pod', group: '', plural: 'pods', versions: ['v1'] },
];

/** The path of the newest served version, or `undefined` where the API server does not serve the kind. */
export async function findPath(
  reader: ApiReader,
  source: KindSource,
): Promise<{ readonly path: string; readonly version: string } | undefined> {
  for (const version of source.versions) {
    const base = source.group === '' ? `/api/${version}` : `/apis/${source.group}/${version}`;
    const answer = await reader.get(base);
    if (answer.status === 404) continue;
    if (answer.status !== 200)
      throw new Error(refusal(answer.status, `discovery of ${base}`, String(answer.body.message ?? '')));
    const resources = (answer.body.resources as readonly { name?: string }[] | undefined) ?? [];
    if (resources.some((resource) => resource.name === source.plural))
      return { path: `${base}/${source.plural}`, version };
  }
  return undefined;
}

/** What a refused read means and what to do about it. */
export function refusal(status: number, what: string, message: string): string {
  if (status === 401)
    return `${what}: 401, the credentials are refused; check the kubeconfig or the service account (${message})`;
  if (status === 403)
    return `${what}: 403, the watcher's role lacks get, list or watch there; apply deploy/rbac (${message})`;
  return `${what}: the API server answered ${status} (${message})`;
}
