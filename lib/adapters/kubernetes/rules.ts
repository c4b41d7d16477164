// Rules at the API server: read live, and their conditions written by server-side apply, in whatever version is served.
import { componentName } from '../../contract.ts';
import { formatInstant } from '../../model/time.ts';
import type { ApiFailure, LiveRules, RuleCondition, RuleStatusWriter } from '../../ports.ts';
import type { ApiAnswer, ApiClient, ApiRequest } from './apiClient.ts';
import { failureOf, saysNotFound, saysNotServed, saysOtherUid } from './apiFailure.ts';
import { conditionsOf, projectRule } from './projectRule.ts';
import { rememberServed, ruleResource, type ServedVersion } from './servedVersion.ts';

/** Both ports over one client, which ask once per process for the served version. */
export function createRules(client: ApiClient): {
  readonly liveRules: LiveRules;
  readonly ruleStatus: RuleStatusWriter;
} {
  const served = rememberServed(client, ruleResource);
  return {
    liveRules: {
      async read(name) {
        const asked = await ask(client, served, (version) => readRequest(version, name));
        if (asked.kind === 'NotServed') return { kind: 'NotFound' };
        if (asked.kind !== 'Asked') return asked;
        const { request, answer } = asked;
        if (saysNotFound(answer, name)) return { kind: 'NotFound' };
        if (answer.kind !== 'Answer' || answer.status !== 200) return failureOf(request, answer);
        const projected = projectRule(answer.body);
        const rule = projected.kind === 'Projected' ? projected.object : projected.harmless;
        if (!rule) return { kind: 'RetryLater', after: 1000, why: `DeviceTaintRule ${name} has no identity` };
        return { kind: 'Found', rule, conditions: conditionsOf(answer.body) };
      },
    },
    ruleStatus: {
      async apply(rule, conditions, part) {
        const manager = part === undefined ? componentName : `${componentName}-${part}`;
        const asked = await ask(client, served, (version) => applyRequest({ version, manager }, rule, conditions));
        if (asked.kind === 'NotServed') return { kind: 'RuleGone' };
        if (asked.kind !== 'Asked') return asked;
        const { request, answer } = asked;
        if (answer.kind === 'Answer' && answer.status === 200) return { kind: 'Written' };
        if (saysNotFound(answer, rule.name) || saysOtherUid(answer)) return { kind: 'RuleGone' };
        return failureOf(request, answer);
      },
    },
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

function readRequest(version: string, name: string): ApiRequest {
  return { method: 'GET', path: rulePath(version, name), subject: `DeviceTaintRule ${name}` };
}

/** The UID makes it fail on a successor of the same name; `force` because nobody else may own these conditions. */
function applyRequest(
  { version, manager }: { readonly version: string; readonly manager: string },
  rule: { readonly name: string; readonly uid: string },
  conditions: readonly RuleCondition[],
): ApiRequest {
  const status = {
    conditions: conditions.map((one) => ({ ...one, lastTransitionTime: formatInstant(one.lastTransitionTime) })),
  };
  return {
    method: 'PATCH',
    path: `${rulePath(version, rule.name)}/status?fieldManager=${manager}&force=true`,
    // JSON is YAML, and the API server takes apply patches under this name only.
    contentType: 'application/apply-patch+yaml',
    subject: `DeviceTaintRule ${rule.name} (${rule.uid}) status`,
    body: {
      apiVersion: `resource.k8s.io/${version}`,
      kind: 'DeviceTaintRule',
      metadata: { name: rule.name, uid: rule.uid },
      status,
    },
  };
}

function rulePath(version: string, name: string): string {
  return `${ruleResource.group}/${version}/${ruleResource.name}/${encodeURIComponent(name)}`;
}
