// Writes the status of objects by server-side apply, in the served version.
import { formatInstant } from '../../model/time.ts';
import type { StatusWritten } from '../../ports.ts';
import type { ApiClient } from './apiClient.ts';
import { failureOf, saysNotFound, saysOtherUid, saysTooMany } from './apiFailure.ts';
import { askServed } from './askServed.ts';
import { type Resource, rememberServed } from './servedVersion.ts';

export interface LiveObjects {
  /** Server-side apply: keeps other managers' fields, and removes fields of `manager` that are missing from `status`. */
  applyStatus(
    object: { readonly name: string; readonly uid: string },
    by: { readonly manager: string; readonly status: object },
  ): Promise<StatusWritten>;
}

/** For one kind and one client; finds the served version once per process. */
export function liveObjects(client: ApiClient, kind: string, resource: Resource): LiveObjects {
  const served = rememberServed(client, resource);
  const pathOf = (version: string, name: string) =>
    `${resource.group}/${version}/${resource.name}/${encodeURIComponent(name)}`;
  return {
    async applyStatus({ name, uid }, { manager, status }) {
      const asked = await askServed(client, served, (version) => ({
        method: 'PATCH',
        // `force`, because no other manager may own these fields.
        path: `${pathOf(version, name)}/status?fieldManager=${manager}&force=true`,
        // JSON is valid YAML, and the API server accepts apply patches with this content type only.
        contentType: 'application/apply-patch+yaml',
        subject: `${kind} ${name} (${uid}) status`,
        // The UID makes the patch fail for a recreated object of the same name.
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

/** The times of a taint, in the format of status.taints of Sluice's own kinds. */
export function writtenTimes(of: { readonly timeAdded: number; readonly specTimeAdded?: number }): object {
  const { timeAdded, specTimeAdded } = of;
  return {
    timeAdded: formatInstant(timeAdded),
    ...(specTimeAdded === undefined ? {} : { specTimeAdded: formatInstant(specTimeAdded) }),
  };
}
