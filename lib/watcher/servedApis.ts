// Served APIs that change how objects are evaluated; checked once a minute, since feature gates change only with upgrades.
import type { ApiClient } from '../adapters/kubernetes/apiClient.ts';
import { findServed, podGroupResource } from '../adapters/kubernetes/servedVersion.ts';
import type { Clock } from '../ports.ts';

const askAgainAfter = 60_000;

/** API version by kind, for heartbeats. If the API server does not respond, the last result is kept. */
export function createServedApis(client: ApiClient, clock: Clock): () => Promise<Readonly<Record<string, string>>> {
  let known: Readonly<Record<string, string>> = {};
  let askedAt = Number.NEGATIVE_INFINITY;
  return async () => {
    if (clock.now() - askedAt < askAgainAfter) return known;
    askedAt = clock.now();
    const served = await findServed(client, podGroupResource);
    if (served.kind === 'Served') known = { PodGroup: served.version };
    if (served.kind === 'NotServed') known = {};
    return known;
  };
}
