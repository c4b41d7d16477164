// Checks that a cluster has the CRDs of Sluice in the version of this release.
import type { ApiClient } from '../adapters/kubernetes/apiClient.ts';
import { findServed } from '../adapters/kubernetes/servedVersion.ts';
import { compareDefinitions, type Definition, readDefinition } from './definitions.ts';
import { type Finding, ok, problem, warning } from './finding.ts';
import { notRead } from './notRead.ts';

/** Maximum differences named in one finding. */
const named = 4;

export async function checkDefinition(
  { name, client }: { readonly name: string; readonly client: ApiClient },
  release: Definition,
): Promise<Finding> {
  const subject = `definition ${release.name} of ${name}`;
  const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${release.name}`;
  const request = { method: 'GET', path, subject: release.name } as const;
  const answer = await client.send(request);
  if (answer.kind === 'Answer' && answer.status === 200) return judge(subject, release, readDefinition(answer.body));
  if (answer.kind === 'Answer' && answer.status === 404) return withoutDefinition(subject, { client, release });
  return notRead(subject, { request, answer, grant: 'get on customresourcedefinitions' });
}

/** An aggregated API server and the simulated cluster serve the kind without a CRD to compare. */
async function withoutDefinition(
  subject: string,
  { client, release }: { readonly client: ApiClient; readonly release: Definition },
): Promise<Finding> {
  const [name = '', ...group] = release.name.split('.');
  const served = await findServed(client, { name, group: `/apis/${group.join('.')}`, versions: release.versions });
  if (served.kind === 'Served') return ok(subject, `served as ${served.version}, by the API server itself`);
  if (served.kind === 'NotServed')
    return warning(subject, 'not installed: objects of this kind cannot be written here', applyDefinitions);
  return warning(subject, `it is unknown whether the kind is served: ${served.why}`, 'run sluice doctor again');
}

function judge(subject: string, release: Definition, cluster: Definition): Finding {
  if (!cluster.isEstablished)
    return problem(
      subject,
      'the API server does not serve it: its condition Established is not True',
      'read its conditions (kubectl describe crd): its names may conflict with another CRD',
    );
  const { lacks, adds, unknownVersions } = compareDefinitions(release, cluster);
  if (unknownVersions.length > 0)
    return problem(
      subject,
      `objects are stored as ${unknownVersions.join(', ')}, this release knows ${release.versions.join(', ')}`,
      'upgrade Sluice, or store the objects in a version that this release knows first',
    );
  // The API server silently drops fields that a CRD does not have: a limit would have no effect.
  if (lacks.length > 0)
    return problem(
      subject,
      `older than this release: it lacks ${listed(lacks)}`,
      `${applyDefinitions}: Helm never upgrades definitions`,
    );
  if (adds.length > 0)
    return warning(
      subject,
      `newer than this release: it has ${listed(adds)}`,
      'upgrade functions and watcher: they do not read these fields',
    );
  return ok(subject, `as in this release, stored as ${cluster.storedVersions.join(', ')}`);
}

const applyDefinitions = 'sluice install --print-crds | kubectl apply --server-side -f -';

function listed(parts: readonly string[]): string {
  const rest = parts.length - named;
  return `${parts.slice(0, named).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}
