// Looks for traces of an active in-tree device-taint-eviction-controller: conditions and Events.
import type { Instant, Milliseconds } from '../../model/time.ts';
import type { ApiFailure } from '../../ports.ts';
import type { ApiClient, ApiRequest } from './apiClient.ts';
import { failureOf } from './apiFailure.ts';
import { instantOf, type Json, listOf, objectOf, textOf } from './read.ts';
import { findServed, ruleResource } from './servedVersion.ts';

/** Field manager and Event component of upstream's controller (kube-controller-manager, KEP-5055). */
const inTree = 'device-taint-eviction-controller';

/** Kubernetes keeps Events for one hour by default; older ones prove nothing about the present. */
const eventsCount: Milliseconds = 60 * 60 * 1000;

export type Ownership =
  /** It acts, or acted so recently that it must be assumed to run. `evidence`: the trace. */
  | { readonly kind: 'Active'; readonly evidence: string }
  | { readonly kind: 'NotSeen' }
  /** Could not be determined: treat it as Active, because there must never be two owners. */
  | { readonly kind: 'Unknown'; readonly why: string };

/** Checks rules first, because every rule that the controller has seen has a condition. */
export async function findInTreeController(client: ApiClient, now: Instant): Promise<Ownership> {
  const byRules = await inRules(client);
  return byRules.kind === 'NotSeen' ? inEvents(client, now) : byRules;
}

async function inRules(client: ApiClient): Promise<Ownership> {
  const served = await findServed(client, ruleResource);
  if (served.kind === 'NotServed') return { kind: 'NotSeen' };
  if (served.kind !== 'Served') return unknown(served);
  const path = `${ruleResource.group}/${served.version}/${ruleResource.name}`;
  return searchList(client, { path, subject: 'DeviceTaintRules' }, (rule) => {
    const managed = listOf(objectOf(rule.metadata).managedFields).some(ownsConditions);
    return managed ? `it manages the conditions of DeviceTaintRule ${textOf(objectOf(rule.metadata).name)}` : undefined;
  });
}

/** `entry`: from metadata.managedFields. */
export function ownsConditions(entry: Json): boolean {
  if (entry.manager !== inTree) return false;
  return 'f:conditions' in objectOf(objectOf(entry.fieldsV1)['f:status']);
}

function inEvents(client: ApiClient, now: Instant): Promise<Ownership> {
  // Field selector `reason` exists in all versions; there is none for the component.
  const path = '/api/v1/events?fieldSelector=reason%3DDeviceTaintManagerEviction';
  return searchList(client, { path, subject: 'Events' }, (event) => {
    const component = textOf(event.reportingComponent) || textOf(objectOf(event.source).component);
    const at = latest(event);
    if (component !== inTree || at === undefined || now - at >= eventsCount) return undefined;
    const pod = objectOf(event.involvedObject);
    return `it wrote an Event about pod ${textOf(pod.namespace)}/${textOf(pod.name)} at ${new Date(at).toISOString()}`;
  });
}

function latest(event: Json): Instant | undefined {
  const { creationTimestamp } = objectOf(event.metadata);
  const { lastObservedTime } = objectOf(event.series);
  const times = [event.lastTimestamp, event.eventTime, event.firstTimestamp, creationTimestamp, lastObservedTime];
  const known = times.map(instantOf).filter((at) => at !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}

/** Reads page by page until there is evidence. */
async function searchList(
  client: ApiClient,
  list: { readonly path: string; readonly subject: string },
  evidenceIn: (item: Json) => string | undefined,
): Promise<Ownership> {
  let token = '';
  do {
    const page = `limit=500${token ? `&continue=${encodeURIComponent(token)}` : ''}`;
    const path = `${list.path}${list.path.includes('?') ? '&' : '?'}${page}`;
    const request: ApiRequest = { method: 'GET', path, subject: list.subject };
    const answer = await client.send(request);
    if (answer.kind !== 'Answer' || answer.status !== 200) return unknown(failureOf(request, answer));
    for (const item of listOf(answer.body.items)) {
      const evidence = evidenceIn(item);
      if (evidence) return { kind: 'Active', evidence };
    }
    token = textOf(objectOf(answer.body.metadata).continue) ?? '';
  } while (token);
  return { kind: 'NotSeen' };
}

function unknown(failure: ApiFailure): Ownership {
  return { kind: 'Unknown', why: failure.why };
}
