// Rules at the API server: read live, conditions written by server-side apply, in whatever version is served.
import { componentName } from '../../contract.ts';
import { formatInstant } from '../../model/time.ts';
import type { ApiFailure, LiveRules, RuleStatusWriter } from '../../ports.ts';
import { type ApiClient, failureOf } from './apiClient.ts';
import { conditionsOf, projectRule } from './projectRule.ts';

const versions = ['v1', 'v1beta2', 'v1alpha3'] as const;
const group = '/apis/resource.k8s.io';

type Served = { readonly kind: 'Served'; readonly version: string } | { readonly kind: 'NotServed' } | ApiFailure;

/** Both ports over one client; the served version is discovered once and again after a 404 of the whole resource. */
export function createRules(client: ApiClient): {
  readonly liveRules: LiveRules;
  readonly ruleStatus: RuleStatusWriter;
} {
  let served: Served | undefined;
  const discover = async (): Promise<Served> => {
    if (served?.kind !== 'Served') served = await findVersion(client);
    return served;
  };
  return {
    liveRules: {
      async read(name) {
        const found = await discover();
        if (found.kind === 'NotServed') return { kind: 'NotFound' };
        if (found.kind !== 'Served') return found;
        const request = {
          method: 'GET',
          path: rulePath(found.version, name),
          subject: `DeviceTaintRule ${name}`,
        } as const;
        const answer = await client.send(request);
        if (answer.kind !== 'Answer' || (answer.status !== 200 && answer.status !== 404))
          return failureOf(request, answer);
        if (answer.status === 404) return { kind: 'NotFound' };
        const projected = projectRule(answer.body);
        if (projected.kind === 'Unreadable') return { kind: 'RetryLater', after: 1000, why: projected.why };
        return { kind: 'Found', rule: projected.object, conditions: conditionsOf(answer.body) };
      },
    },
    ruleStatus: {
      async apply(rule, conditions) {
        const found = await discover();
        if (found.kind === 'NotServed') return { kind: 'RuleGone' };
        if (found.kind !== 'Served') return found;
        const request = {
          method: 'PATCH',
          path: `${rulePath(found.version, rule.name)}/status?fieldManager=${componentName}&force=true`,
          contentType: 'application/apply-patch+yaml',
          subject: `DeviceTaintRule ${rule.name} status`,
          body: {
            apiVersion: `resource.k8s.io/${found.version}`,
            kind: 'DeviceTaintRule',
            metadata: { name: rule.name, uid: rule.uid },
            status: {
              conditions: conditions.map((one) => ({
                ...one,
                lastTransitionTime: formatInstant(one.lastTransitionTime),
              })),
            },
          },
        } as const;
        const answer = await client.send(request);
        if (answer.kind === 'Answer' && answer.status === 200) return { kind: 'Written' };
        // Applied to a rule that is gone the API server answers 404; to one with another UID 409 (or 422 in older versions).
        if (answer.kind === 'Answer' && [404, 409, 422].includes(answer.status)) return { kind: 'RuleGone' };
        return failureOf(request, answer);
      },
    },
  };
}

function rulePath(version: string, name: string): string {
  return `${group}/${version}/devicetaintrules/${encodeURIComponent(name)}`;
}

async function findVersion(client: ApiClient): Promise<Served> {
  for (const version of versions) {
    const request = { method: 'GET', path: `${group}/${version}`, subject: `API resource.k8s.io/${version}` } as const;
    const answer = await client.send(request);
    if (answer.kind === 'Answer' && answer.status === 404) continue;
    if (answer.kind !== 'Answer' || answer.status !== 200) return failureOf(request, answer);
    const resources = (answer.body.resources as { name?: string }[] | undefined) ?? [];
    if (resources.some((resource) => resource.name === 'devicetaintrules')) return { kind: 'Served', version };
  }
  return { kind: 'NotServed' };
}
