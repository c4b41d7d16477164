// What the API server of a cluster serves: kinds, and the fields of their definitions.
import type { ApiAnswer } from '../../adapters/kubernetes/apiClient.ts';
import { objectOf, textOf } from '../../adapters/kubernetes/read.ts';
import { findServed, type Resource } from '../../adapters/kubernetes/servedVersion.ts';
import type { ApiFailure } from '../../ports.ts';
import { Failure } from '../failure.ts';
import { kindOf } from './kindOf.ts';
import type { OpenCluster } from './open.ts';

export function fail(failure: ApiFailure): never {
  throw new Failure(failure.why.replace(/; [^;]*$/, ''), failure.why.match(/; ([^;]*)$/)?.[1]);
}

const servedVersions = new WeakMap<object, Map<string, Promise<string | undefined>>>();

/** Absent if the API server does not serve the kind. Discovered once per connection. */
export function servedVersion(cluster: OpenCluster, resource: Resource): Promise<string | undefined> {
  const known = servedVersions.get(cluster) ?? new Map<string, Promise<string | undefined>>();
  servedVersions.set(cluster, known);
  const asked =
    known.get(resource.name) ??
    findServed(cluster.client, resource).then((served) => {
      if (served.kind === 'Served') return served.version;
      return served.kind === 'NotServed' ? undefined : fail(served);
    });
  known.set(resource.name, asked);
  return asked;
}

const applyDefinitions = 'sluice install --print-crds | kubectl apply --server-side -f -';

/** For kinds that the command cannot do without. Throws if the API server does not serve the kind. */
export async function requireServed(cluster: OpenCluster, resource: Resource): Promise<string> {
  const version = await servedVersion(cluster, resource);
  if (version !== undefined) return version;
  const group = resource.group.replace('/apis/', '');
  throw new Failure(
    `the API server of context ${cluster.context} does not serve ${resource.name}.${group}`,
    group === 'sluice.dev' ? `install the definitions: ${applyDefinitions}` : 'see: kubectl api-resources',
  );
}

/** Throws if a strict write was refused because the definition is older than the program and lacks a field. */
export function requireKnownFields(cluster: OpenCluster, resource: Resource, answer: ApiAnswer): void {
  if (answer.kind !== 'Answer' || answer.status !== 400) return;
  const unknown = /unknown field "([^"]+)"/.exec(textOf(objectOf(answer.body).message) ?? '')?.[1];
  if (unknown === undefined) return;
  throw new Failure(
    `the definition of ${kindOf(resource)} in context ${cluster.context} is older and has no ${unknown}; nothing was written`,
    `update the definitions: ${applyDefinitions}`,
  );
}
