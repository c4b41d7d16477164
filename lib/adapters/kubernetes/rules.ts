// Rules at the API server: read live, and their status written by server-side apply, in whatever version is served.
import { componentName } from '../../contract.ts';
import { type AnyRule, parseRuleRef } from '../../model/rule.ts';
import { formatInstant } from '../../model/time.ts';
import type { ApiFailure, LiveRules, RuleIdentity, RuleStatusWriter, StatusWritten } from '../../ports.ts';
import type { ApiAnswer, ApiClient, ApiRequest } from './apiClient.ts';
import { failureOf, saysNotFound, saysNotServed, saysOtherUid } from './apiFailure.ts';
import { projectPacedRule } from './projectPacedRule.ts';
import { conditionsOf, projectRule } from './projectRule.ts';
import { pacedRuleResource, type Resource, rememberServed, ruleResource, type ServedVersion } from './servedVersion.ts';

type Kind = AnyRule['kind'];

const resources: Readonly<Record<Kind, Resource>> = {
  DeviceTaintRule: ruleResource,
  PacedTaintRule: pacedRuleResource,
};

/** Both ports over one client, which ask once per process and kind for the served version. */
export function createRules(client: ApiClient): {
  readonly liveRules: LiveRules;
  readonly ruleStatus: RuleStatusWriter;
} {
  const served: Readonly<Record<Kind, ServedVersion>> = {
    DeviceTaintRule: rememberServed(client, ruleResource),
    PacedTaintRule: rememberServed(client, pacedRuleResource),
  };
  const applyStatus = async (status: object, rule: RuleIdentity, manager: string): Promise<StatusWritten> => {
    const { kind = 'DeviceTaintRule' } = rule;
    const asked = await ask(client, served[kind], (version) =>
      applyRequest({ ...rule, kind }, { version, manager, status }),
    );
    if (asked.kind === 'NotServed') return { kind: 'RuleGone' };
    if (asked.kind !== 'Asked') return asked;
    const { request, answer } = asked;
    if (answer.kind === 'Answer' && answer.status === 200) return { kind: 'Written' };
    if (saysNotFound(answer, rule.name) || saysOtherUid(answer)) return { kind: 'RuleGone' };
    return failureOf(request, answer);
  };
  return {
    liveRules: {
      async read(ref) {
        const { kind, name } = parseRuleRef(ref);
        const asked = await ask(client, served[kind], (version) => readRequest({ kind, name }, version));
        if (asked.kind === 'NotServed') return { kind: 'NotFound' };
        if (asked.kind !== 'Asked') return asked;
        const { request, answer } = asked;
        if (saysNotFound(answer, name)) return { kind: 'NotFound' };
        if (answer.kind !== 'Answer' || answer.status !== 200) return failureOf(request, answer);
        const projected = kind === 'DeviceTaintRule' ? projectRule(answer.body) : projectPacedRule(answer.body);
        const rule = projected.kind === 'Projected' ? projected.object : projected.harmless;
        if (!rule) return { kind: 'RetryLater', after: 1000, why: `${kind} ${name} has no identity` };
        return { kind: 'Found', rule, conditions: conditionsOf(answer.body) };
      },
    },
    ruleStatus: {
      apply(rule, conditions, part) {
        const manager = part === undefined ? componentName : `${componentName}-${part}`;
        const written = conditions.map((one) => ({
          ...one,
          lastTransitionTime: formatInstant(one.lastTransitionTime),
        }));
        return applyStatus({ conditions: written }, rule, manager);
      },
      applySeen(rule, seen) {
        const taints = seen.map(({ key, effect, timeAdded, specTimeAdded }) => ({
          key,
          effect,
          timeAdded: formatInstant(timeAdded),
          ...(specTimeAdded === undefined ? {} : { specTimeAdded: formatInstant(specTimeAdded) }),
        }));
        return applyStatus({ taints }, rule, `${componentName}-time`);
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

function readRequest(rule: { readonly kind: Kind; readonly name: string }, version: string): ApiRequest {
  return { method: 'GET', path: rulePath(rule, version), subject: `${rule.kind} ${rule.name}` };
}

/** The UID makes it fail on a successor of the same name; `force` because nobody else may own these fields. */
function applyRequest(
  rule: Required<RuleIdentity>,
  by: { readonly version: string; readonly manager: string; readonly status: object },
): ApiRequest {
  const { kind, name, uid } = rule;
  return {
    method: 'PATCH',
    path: `${rulePath(rule, by.version)}/status?fieldManager=${by.manager}&force=true`,
    // JSON is YAML, and the API server takes apply patches under this name only.
    contentType: 'application/apply-patch+yaml',
    subject: `${kind} ${name} (${uid}) status`,
    body: {
      apiVersion: `${resources[kind].group.slice('/apis/'.length)}/${by.version}`,
      kind,
      metadata: { name, uid },
      status: by.status,
    },
  };
}

function rulePath({ kind, name }: { readonly kind: Kind; readonly name: string }, version: string): string {
  const resource = resources[kind];
  return `${resource.group}/${version}/${resource.name}/${encodeURIComponent(name)}`;
}
