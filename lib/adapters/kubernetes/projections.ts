// The native rules that Sluice creates for its own taints: identified by a label, owned by their source object.
import { projectedFromLabel } from '../../model/rule.ts';
import type { Projections } from '../../ports.ts';
import type { ApiAnswer, ApiClient, ApiRequest } from './apiClient.ts';
import { failureOf, saysNotFound, saysNotServed } from './apiFailure.ts';
import { listOf, objectOf, textOf } from './read.ts';
import { rememberServed, ruleResource } from './servedVersion.ts';

export function createProjections(client: ApiClient): Projections {
  const served = rememberServed(client, ruleResource);
  const ask = async (requestFor: (path: string, version: string) => ApiRequest) => {
    const found = await served.get();
    if (found.kind !== 'Served') return found;
    const request = requestFor(`${ruleResource.group}/${found.version}/${ruleResource.name}`, found.version);
    const answer = await client.send(request);
    if (!saysNotServed(answer)) return { kind: 'Asked', request, answer } as const;
    served.forget();
    return { kind: 'NotServed' } as const;
  };
  return {
    async list(uid) {
      const selector = encodeURIComponent(`${projectedFromLabel}=${uid}`);
      const asked = await ask((path) => ({
        method: 'GET',
        path: `${path}?labelSelector=${selector}`,
        subject: 'DeviceTaintRules that were projected',
      }));
      if (asked.kind !== 'Asked') return asked;
      const { request, answer } = asked;
      if (answer.kind !== 'Answer' || answer.status !== 200) return failureOf(request, answer);
      const items = listOf(answer.body.items).map(({ metadata }) => objectOf(metadata));
      const mine = items.filter((meta) => textOf(objectOf(meta.labels)[projectedFromLabel]) === uid);
      return { kind: 'Found', names: mine.flatMap(({ name }) => textOf(name) ?? []) };
    },
    async create({ name, from, deviceSelector, taint }) {
      const owner = { apiVersion: 'sluice.dev/v1alpha1', kind: from.kind, name: from.name, uid: from.uid };
      const asked = await ask((path, version) => ({
        method: 'POST',
        path,
        subject: `DeviceTaintRule ${name}`,
        body: {
          apiVersion: `resource.k8s.io/${version}`,
          kind: 'DeviceTaintRule',
          metadata: { name, labels: { [projectedFromLabel]: from.uid }, ownerReferences: [owner] },
          spec: { deviceSelector, taint },
        },
      }));
      if (asked.kind === 'NotServed') return { kind: 'Written' };
      if (asked.kind !== 'Asked') return asked;
      return isDone(asked.answer, [201, 409]) ? { kind: 'Written' } : failureOf(asked.request, asked.answer);
    },
    async remove(name) {
      const asked = await ask((path) => ({
        method: 'DELETE',
        path: `${path}/${encodeURIComponent(name)}`,
        subject: `DeviceTaintRule ${name}`,
      }));
      if (asked.kind === 'NotServed') return { kind: 'Written' };
      if (asked.kind !== 'Asked') return asked;
      const { request, answer } = asked;
      return isDone(answer, [200, 202]) || saysNotFound(answer, name)
        ? { kind: 'Written' }
        : failureOf(request, answer);
    },
  };
}

/** The name is derived from the rule's whole content, so an existing rule has the same content. */
function isDone(answer: ApiAnswer, statuses: readonly number[]): boolean {
  return answer.kind === 'Answer' && statuses.includes(answer.status);
}
