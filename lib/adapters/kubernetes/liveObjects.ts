// Objects whose status Sluice writes: read live, and written by server-side apply, in whatever version is served.
import { formatInstant } from '../../model/time.ts';
import type { ApiFailure, StatusWritten } from '../../ports.ts';
import type { ApiAnswer, ApiClient, ApiRequest } from './apiClient.ts';
import { failureOf, saysNotFound, saysNotServed, saysOtherUid } from './apiFailure.ts';
import { type Resource, rememberServed, type ServedVersion } from './servedVersion.ts';

export interface LiveObjects {
  /** The whole object. */
  read(
    name: string,
  ): Promise<{ readonly kind: 'Found'; readonly body: unknown } | { readonly kind: 'NotFound' } | ApiFailure>;
  /** `manager` keeps what other managers wrote, and drops of its own what is not named again. */
  applyStatus(
    object: { readonly name: string; readonly uid: string },
    by: { readonly manager: string; readonly status: object },
  ): Promise<StatusWritten>;
}

/** One kind over one client; asks once per process for the served version. */
export function liveObjects(client: ApiClient, kind: string, resource: Resource): LiveObjects {
  const served = rememberServed(client, resource);
  const pathOf = (version: string, name: string) =>
    `${resource.group}/${version}/${resource.name}/${encodeURIComponent(name)}`;
  return {
    async read(name) {
      const asked = await ask(client, served, (version) => ({
        method: 'GET',
        path: pathOf(version, name),
        subject: `${kind} ${name}`,
      }));
      if (asked.kind === 'NotServed') return { kind: 'NotFound' };
      if (asked.kind !== 'Asked') return asked;
      const { request, answer } = asked;
      if (saysNotFound(answer, name)) return { kind: 'NotFound' };
      if (answer.kind !== 'Answer' || answer.status !== 200) return failureOf(request, answer);
      return { kind: 'Found', body: answer.body };
    },
    async applyStatus({ name, uid }, { manager, status }) {
      const asked = await ask(client, served, (version) => ({
        method: 'PATCH',
        // `force` because nobody else may own these fields.
        path: `${pathOf(version, name)}/status?fieldManager=${manager}&force=true`,
        // JSON is YAML, and the API server takes apply patches under this name only.
        contentType: 'application/apply-patch+yaml',
        subject: `${kind} ${name} (${uid}) status`,
        // The UID makes it fail on a successor of the same name.
        body: {
          apiVersion: `${resource.group.slice('/apis/'.length)}/${version}`,
          kind,
          metadata: { name, uid },
          status,
        },
      }));
      if (asked.kind === 'NotServed') return { kind: 'RuleGone' };
      if (asked.kind !== 'Asked') return asked;
      const { request, answer } = asked;
      if (answer.kind === 'Answer' && answer.status === 200) return { kind: 'Written' };
      if (saysNotFound(answer, name) || saysOtherUid(answer)) return { kind: 'RuleGone' };
      return failureOf(request, answer);
    },
  };
}

/** As the status of our own kinds writes down when taints count. */
export function writtenTimes(of: { readonly timeAdded: number; readonly specTimeAdded?: number }): object {
  const { timeAdded, specTimeAdded } = of;
  return {
    timeAdded: formatInstant(timeAdded),
    ...(specTimeAdded === undefined ? {} : { specTimeAdded: formatInstant(specTimeAdded) }),
  };
}

type Asked =
  | { readonly kind: 'Asked'; readonly request: ApiRequest; readonly answer: ApiAnswer }
  | { readonly kind: 'NotServed' }
  | ApiFailure;

/** One request in the served version; after an upgrade that stopped serving it, once more in the version served now. */
async function ask(
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
