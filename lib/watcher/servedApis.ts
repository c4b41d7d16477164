// Which APIs are served that change how objects are read; asked once a minute, since gates move only with upgrades.
import type { ApiClient } from '../adapters/kubernetes/apiClient.ts';
import { findServed, podGroupResource } from '../adapters/kubernetes/servedVersion.ts';
import type { Clock } from '../ports.ts';

const askAgainAfter = 60_000;

/** API version by kind, as heartbeats carry it. An API server that does not answer changes nothing. */
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
