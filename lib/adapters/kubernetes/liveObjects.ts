// The status of objects, written by server-side apply, in whatever version is served.
import { formatInstant } from '../../model/time.ts';
import type { StatusWritten } from '../../ports.ts';
import type { ApiClient } from './apiClient.ts';
import { failureOf, saysNotFound, saysOtherUid, saysTooMany } from './apiFailure.ts';
import { askServed } from './askServed.ts';
import { type Resource, rememberServed } from './servedVersion.ts';

export interface LiveObjects {
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
    async applyStatus({ name, uid }, { manager, status }) {
      const asked = await askServed(client, served, (version) => ({
        method: 'PATCH',
        // `force` because no one else may own these fields.
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
      const failure = failureOf(request, answer);
      return saysTooMany(answer, 'status.conditions') ? { kind: 'Full', why: failure.why } : failure;
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
