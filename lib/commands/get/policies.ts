// `sluice get policies`: EvictionPolicies with their selectors, rates and states.
import { writerOf } from '../../adapters/kubernetes/author.ts';
import { conditionsOf } from '../../adapters/kubernetes/projectRule.ts';
import { type Json, objectOf } from '../../adapters/kubernetes/read.ts';
import { policyResource } from '../../adapters/kubernetes/servedVersion.ts';
import { pausesOf } from '../../decide/pauses.ts';
import { approvalText } from '../../model/approvalNote.ts';
import { approveAnnotation } from '../../model/hold.ts';
import { findObject, listObjects, nameOf, type Scope } from '../cluster/objects.ts';
import type { OpenCluster } from '../cluster/open.ts';
import { requireServed } from '../cluster/served.ts';
import { NotFound } from '../failure.ts';
import { nearestHelp } from '../nearest.ts';
import type { Found } from '../output/print.ts';
import { ageOf } from './age.ts';

export async function listPolicies(cluster: OpenCluster, scope: Scope = {}): Promise<readonly Json[]> {
  await requireServed(cluster, policyResource);
  return listObjects(cluster, policyResource, scope);
}

export async function requirePolicy(cluster: OpenCluster, name: string): Promise<Json> {
  await requireServed(cluster, policyResource);
  const found = await findObject(cluster, policyResource, { name });
  if (found) return found;
  const known = (await listObjects(cluster, policyResource)).map(nameOf);
  throw new NotFound(
    `there is no EvictionPolicy ${name} in context ${cluster.context}`,
    nearestHelp(name, known, 'sluice get policies'),
  );
}

export function annotationsOf(object: Json): Readonly<Record<string, string>> {
  const all = Object.entries(objectOf(objectOf(object.metadata).annotations));
  return Object.fromEntries(all.flatMap(([key, value]) => (typeof value === 'string' ? [[key, value]] : [])));
}

/** Names and notes of the pauses on a rule or policy; empty if it is not paused. */
export function pausesWritten(object: Json): readonly string[] {
  return [...(objectOf(object.spec).paused === true ? ['spec.paused'] : []), ...pausesOf(annotationsOf(object))];
}

/** Who approved which plan, and when; absent if no plan of the rule or policy is approved. */
export function approvalWritten(object: Json): string | undefined {
  return approvalText(annotationsOf(object), writerOf(object, ['metadata', 'annotations', approveAnnotation]));
}

function stateOf(policy: Json): string {
  const conditions = conditionsOf(policy);
  const accepted = conditions.find((one) => one.type === 'Accepted');
  if (accepted?.status === 'False') return `Not accepted: ${accepted.reason}`;
  if (pausesWritten(policy).length > 0) return 'Paused';
  const held = conditions.find((one) => one.type === 'sluice.dev/Held');
  return held?.status === 'True' ? `Held: ${held.reason}` : 'Active';
}

function rateOf(policy: Json): string {
  const { evictionsPerSecond, burst, maxEvictionsPerSecond } = objectOf(policy.spec);
  const parts = [
    evictionsPerSecond === undefined ? [] : `${evictionsPerSecond}/s`,
    burst === undefined ? [] : `burst ${burst}`,
    maxEvictionsPerSecond === undefined ? [] : `at most ${maxEvictionsPerSecond}/s`,
  ];
  return parts.flat().join(', ');
}

function listText(value: unknown): string {
  return Array.isArray(value) ? value.join(',') : 'any';
}

export function policiesFound(
  items: readonly Json[],
  by: { readonly now: number; readonly isSingle: boolean },
): Found<Json> {
  const taints = (one: Json) => objectOf(objectOf(one.spec).taints);
  return {
    items,
    columns: [
      { name: 'NAME', of: nameOf, isName: true },
      { name: 'KEYS', of: (one) => listText(taints(one).keys) },
      { name: 'DRIVERS', of: (one) => listText(taints(one).drivers) },
      { name: 'SOURCES', wide: true, of: (one) => listText(taints(one).sources) },
      { name: 'RATE', of: rateOf },
      { name: 'STATE', of: stateOf },
      { name: 'AGE', of: (one) => ageOf(one, by.now) },
    ],
    object: (one) => one,
    name: (one) => `evictionpolicy.sluice.dev/${nameOf(one)}`,
    isSingle: by.isSingle,
    noun: 'policies',
  };
}
