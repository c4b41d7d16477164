// Events written by Sluice, read from the API server.
import { type Json, objectOf, textOf } from '../../adapters/kubernetes/read.ts';
import type { Resource } from '../../adapters/kubernetes/servedVersion.ts';
import { componentName } from '../../contract.ts';
import { parseInstant } from '../../model/time.ts';
import { objectsOf } from './objects.ts';
import type { OpenCluster } from './open.ts';

export const eventResource: Resource = { name: 'events', group: '/api', versions: ['v1'] };

export interface SluiceEvent {
  readonly name: string;
  readonly at: number;
  readonly type: string;
  readonly reason: string;
  /** `pod/team-a/worker-0`. */
  readonly regarding: string;
  readonly message: string;
  readonly object: Json;
}

/** Oldest first. */
export async function readEvents(
  cluster: OpenCluster,
  scope: { readonly namespace?: string | undefined },
): Promise<readonly SluiceEvent[]> {
  const events: SluiceEvent[] = [];
  for await (const object of objectsOf(cluster, eventResource, scope)) {
    const event = eventOf(object);
    if (event) events.push(event);
  }
  return events.sort((a, b) => a.at - b.at);
}

function eventOf(object: Json): SluiceEvent | undefined {
  const component = textOf(object.reportingComponent) ?? textOf(objectOf(object.source).component);
  if (component !== componentName) return undefined;
  const { kind, namespace, name } = objectOf(object.involvedObject);
  const place = [textOf(namespace), textOf(name)].filter((one) => one !== undefined && one !== '');
  return {
    name: textOf(objectOf(object.metadata).name) ?? '',
    at: parseInstant(textOf(object.lastTimestamp) ?? textOf(object.eventTime)) ?? 0,
    type: textOf(object.type) ?? '',
    reason: textOf(object.reason) ?? '',
    regarding: [String(kind).toLowerCase(), ...place].join('/'),
    message: textOf(object.message) ?? '',
    object,
  };
}
