// Cluster objects that install and uninstall manage without Helm: CRDs, and objects with Sluice's label.
import { parse } from 'yaml';
import type { ApiAnswer, ApiClient, ApiRequest } from '../../adapters/kubernetes/apiClient.ts';
import { failureOf } from '../../adapters/kubernetes/apiFailure.ts';
import { listOf, objectOf } from '../../adapters/kubernetes/read.ts';
import { findServed, ruleResource } from '../../adapters/kubernetes/servedVersion.ts';
import { projectedFromLabel } from '../../model/rule.ts';
import { chartNamespace } from '../../outputs.ts';
import { releasedDefinitions } from '../assets.ts';
import { Failure } from '../failure.ts';
import type { Io } from '../io.ts';

interface Definition {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly group: string;
    readonly names: { readonly plural: string };
    readonly versions: readonly { readonly name: string }[];
  };
}

const definitions = () => releasedDefinitions().map((text) => parse(text) as Definition);
const pathOf = ({ metadata }: Definition) => `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${metadata.name}`;
const objectsOf = ({ spec }: Definition) => `/apis/${spec.group}/${spec.versions[0]?.name}/${spec.names.plural}`;

const rbac = '/apis/rbac.authorization.k8s.io/v1';
const admission = '/apis/admissionregistration.k8s.io/v1';
/** Kinds of the objects in deploy/optional and deploy/policies; Helm removes those of the chart. */
const labelled = [
  `${rbac}/clusterrolebindings`,
  `${rbac}/clusterroles`,
  `${admission}/validatingadmissionpolicybindings`,
  `${admission}/validatingadmissionpolicies`,
];
const ownLabel = encodeURIComponent('app.kubernetes.io/part-of=sluice');

/** Server-side apply, like `kubectl apply --server-side`; returns when all CRDs are Established. */
export async function applyDefinitions(client: ApiClient, io: Pick<Io, 'sleep'>): Promise<void> {
  for (const body of definitions()) {
    const path = `${pathOf(body)}?fieldManager=sluice&force=true`;
    await must(client, {
      method: 'PATCH',
      path,
      body,
      contentType: 'application/apply-patch+yaml',
      subject: body.metadata.name,
    });
  }
  for (const one of definitions())
    await until(io, `CRD ${one.metadata.name} is served`, async () => {
      const { body } = await must(client, { method: 'GET', path: pathOf(one), subject: one.metadata.name });
      const conditions = listOf(objectOf(body.status).conditions);
      return conditions.some(({ type, status }) => type === 'Established' && status === 'True');
    });
}

/** Deletes Sluice's objects first and waits until native rules projected from PacedTaintRules are garbage-collected. */
export async function removeObjects(client: ApiClient, io: Pick<Io, 'sleep'>): Promise<void> {
  for (const one of definitions()) await remove(client, objectsOf(one));
  const served = await findServed(client, ruleResource);
  if (served.kind !== 'Served') return;
  const path = `/apis/resource.k8s.io/${served.version}/devicetaintrules?labelSelector=${encodeURIComponent(projectedFromLabel)}`;
  await until(io, 'no native rule of a PacedTaintRule is left', async () => {
    const { body } = await must(client, { method: 'GET', path, subject: 'native rules' });
    return listOf(body.items).length === 0;
  });
}

/** Removes what is left after the chart: labelled objects, CRDs and the namespace. */
export async function removeRest(client: ApiClient): Promise<void> {
  for (const path of labelled) await remove(client, `${path}?labelSelector=${ownLabel}`);
  for (const one of definitions()) await remove(client, pathOf(one));
  await remove(client, `/api/v1/namespaces/${chartNamespace}`);
}

/** Deletes an object or collection; 404 and 405 (not served) count as success. */
async function remove(client: ApiClient, path: string): Promise<void> {
  const request: ApiRequest = { method: 'DELETE', path, subject: path };
  const answer = await client.send(request);
  if (answer.kind === 'Answer' && [404, 405].includes(answer.status)) return;
  answered(answer, request);
}

async function must(client: ApiClient, request: ApiRequest) {
  return answered(await client.send(request), request);
}

function answered(answer: ApiAnswer, request: Pick<ApiRequest, 'method' | 'subject'>) {
  if (answer.kind === 'Answer' && answer.status < 300) return answer;
  throw new Failure(failureOf(request, answer).why, 'see what you may do: kubectl auth can-i --list');
}

const pollInterval = 500;
const polls = 120;

async function until(io: Pick<Io, 'sleep'>, what: string, holds: () => Promise<boolean>): Promise<void> {
  for (let i = 0; i < polls; i++) {
    if (await holds()) return;
    await io.sleep(pollInterval);
  }
  throw new Failure(`timed out after a minute waiting until ${what}`);
}
