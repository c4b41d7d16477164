// Sends a request in the API version that the API server serves.
import type { ApiFailure } from '../../ports.ts';
import type { ApiAnswer, ApiClient, ApiRequest } from './apiClient.ts';
import { saysNotServed } from './apiFailure.ts';
import type { ServedVersion } from './servedVersion.ts';

type Asked =
  | { readonly kind: 'Asked'; readonly request: ApiRequest; readonly answer: ApiAnswer }
  | { readonly kind: 'NotServed' }
  | ApiFailure;

/** Sends one request in the served version; if an upgrade stopped serving it, once more in the new version. */
export async function askServed(
  client: ApiClient,
  served: ServedVersion,
  requestFor: (version: string) => ApiRequest,
): Promise<Asked> {
  const first = await askOnce(client, served, requestFor);
  if (first.kind !== 'Asked' || !saysNotServed(first.answer)) return first;
  served.forget();
  return askOnce(client, served, requestFor);
}

async function askOnce(
  client: ApiClient,
  served: ServedVersion,
  requestFor: (version: string) => ApiRequest,
): Promise<Asked> {
  const found = await served.get();
  if (found.kind !== 'Served') return found;
  const request = requestFor(found.version);
  return { kind: 'Asked', request, answer: await client.send(request) };
}
