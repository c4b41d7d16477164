// Has the API server check a rule that is only written down: a server-side dry run of its creation.
import type { ApiRequest } from '../../adapters/kubernetes/apiClient.ts';
import { type Json, objectOf, textOf } from '../../adapters/kubernetes/read.ts';
import { pacedRuleResource, type Resource, ruleResource } from '../../adapters/kubernetes/servedVersion.ts';
import { UsageFailure } from '../failure.ts';
import { manager } from './objects.ts';
import type { OpenCluster } from './open.ts';

const resources: Readonly<Record<string, Resource>> = {
  DeviceTaintRule: ruleResource,
  PacedTaintRule: pacedRuleResource,
};

/**
 * Throws a UsageFailure with the words of the API server if it would refuse the manifest: an unknown field, a wrong value. Returns why
 * it could not check, for example because the caller may not create rules; undefined if it accepts the manifest.
 */
export async function checkWritten(cluster: OpenCluster, manifest: unknown): Promise<string | undefined> {
  const written = objectOf(manifest);
  const [kind, apiVersion] = [textOf(written.kind) ?? '', textOf(written.apiVersion) ?? ''];
  const resource = resources[kind];
  // Other kinds are refused by the plan itself.
  if (resource === undefined) return undefined;
  const name = nameWritten(written);
  const paths = resource.versions.map((version) => `${resource.group}/${version}`);
  const path = paths.find((one) => one === `/apis/${apiVersion}`);
  if (path === undefined)
    throw new UsageFailure(
      `${kind} ${name} has the apiVersion ${JSON.stringify(apiVersion)}; expected ${paths.map((one) => one.replace('/apis/', '')).join(' or ')}`,
    );
  const request: ApiRequest = {
    method: 'POST',
    path: `${path}/${resource.name}?dryRun=All&fieldValidation=Strict&fieldManager=${manager}`,
    body: written,
    subject: `${resource.name} ${name}`,
  };
  const answer = await cluster.client.send(request);
  if (answer.kind === 'Failed') return `${kind} ${name} was not checked by the API server: ${answer.why}`;
  // 409: a rule of that name exists; the manifest was checked before.
  if (answer.status < 300 || answer.status === 409) return undefined;
  const why = textOf(answer.body.message) ?? `it answered ${answer.status}`;
  if (answer.status === 400 || answer.status === 422)
    throw new UsageFailure(`the API server refuses ${kind} ${name}: ${why}`);
  return `${kind} ${name} was not checked by the API server: ${why}`;
}

/** For messages: a manifest may have generateName, or no name at all. */
export function nameWritten(written: Json): string {
  const metadata = objectOf(written.metadata);
  return textOf(metadata.name) ?? textOf(metadata.generateName) ?? 'unnamed';
}
