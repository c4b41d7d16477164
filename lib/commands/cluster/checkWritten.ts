// Has the API server check a rule that is only written down: a server-side dry run of its creation.
import type { ApiRequest } from '../../adapters/kubernetes/apiClient.ts';
import { type Json, objectOf, textOf } from '../../adapters/kubernetes/read.ts';
import { UsageFailure } from '../failure.ts';
import type { OpenCluster } from './open.ts';

const plurals: Readonly<Record<string, string>> = {
  DeviceTaintRule: 'devicetaintrules',
  PacedTaintRule: 'pacedtaintrules',
};

/**
 * Throws a UsageFailure with the words of the API server if it would refuse the manifest: an unknown field, a wrong value. Returns why
 * it could not check, for example because the caller may not create rules; undefined if it accepts the manifest.
 */
export async function checkWritten(cluster: OpenCluster, manifest: unknown): Promise<string | undefined> {
  const written = objectOf(manifest);
  const [kind, apiVersion] = [textOf(written.kind) ?? '', textOf(written.apiVersion) ?? ''];
  const plural = plurals[kind];
  // Other kinds are refused by the plan itself.
  if (plural === undefined) return undefined;
  const name = nameIn(written);
  if (!/^[a-z0-9.-]+\/v[a-z0-9]+$/.test(apiVersion))
    throw new UsageFailure(`${kind} ${name} has the apiVersion ${JSON.stringify(apiVersion)}; expected GROUP/VERSION`);
  const request: ApiRequest = {
    method: 'POST',
    path: `/apis/${apiVersion}/${plural}?dryRun=All&fieldValidation=Strict&fieldManager=sluice-cli`,
    body: written,
    subject: `${plural} ${name}`,
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

function nameIn(written: Json): string {
  const metadata = objectOf(written.metadata);
  return textOf(metadata.name) ?? textOf(metadata.generateName) ?? 'unnamed';
}
