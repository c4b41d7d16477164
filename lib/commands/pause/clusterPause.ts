// The stop of a whole cluster, needing only a kubeconfig: EvictionStops, and the wait until no DELETE is in flight.
import { isObjectName } from '../../adapters/kubernetes/objectName.ts';
import { type Json, listOf, objectOf } from '../../adapters/kubernetes/read.ts';
import { podResource, stopResource } from '../../adapters/kubernetes/servedVersion.ts';
import { dueCondition } from '../../contract.ts';
import { countText } from '../../view/words.ts';
import { createObject, deleteObject, findObject, listObjects, nameOf, objectsOf, uidOf } from '../cluster/objects.ts';
import type { OpenCluster } from '../cluster/open.ts';
import { requireServed } from '../cluster/served.ts';
import { Failure, UsageFailure } from '../failure.ts';
import type { Io } from '../io.ts';

export const noteAnnotation = 'sluice.dev/note';

export interface Note {
  readonly name: string;
  /** Author, time and reason, as from `noteText`. */
  readonly text: string;
}

/** The EvictionStop has the name of the pause, so that two pauses never share an object. */
function requireStopName(name: string): string {
  if (isObjectName(name)) return name;
  throw new UsageFailure(
    `${name} is not a valid name of an EvictionStop: use lower-case letters, digits, dashes and dots`,
    `specify another name, such as: --name ${name.toLowerCase().replaceAll('_', '-')}`,
  );
}

/** Bytes, by the definition of EvictionStop; the annotation has all of the text. */
const longestReason = 1024;

/** A long reason must not keep a stop from being made. */
function withinBytes(text: string, most: number): string {
  if (Buffer.byteLength(text) <= most) return text;
  const mark = '…';
  const room = Buffer.from(text).subarray(0, most - Buffer.byteLength(mark));
  // `stream`: a character that is cut in the middle is left out.
  return `${new TextDecoder().decode(room, { stream: true })}${mark}`;
}

/** Any EvictionStop stops all evictions in the cluster. Returns the stop of this name if there is one, which stays as it is. */
export async function stopCluster(cluster: OpenCluster, { name: wanted, text }: Note): Promise<Json | undefined> {
  const name = requireStopName(wanted);
  await requireServed(cluster, stopResource);
  const body = {
    metadata: { name, annotations: { [noteAnnotation]: text } },
    spec: { reason: withinBytes(text, longestReason) },
  };
  if ((await createObject(cluster, { resource: stopResource, name }, body)) === 'Created') return undefined;
  return requireStop(cluster, name);
}

export async function removeStop(cluster: OpenCluster, wanted: string): Promise<void> {
  const name = requireStopName(wanted);
  await requireServed(cluster, stopResource);
  const uid = uidOf(await requireStop(cluster, name));
  await deleteObject(cluster, { resource: stopResource, name }, { uid });
}

async function requireStop(cluster: OpenCluster, name: string): Promise<Json> {
  const found = await findObject(cluster, stopResource, { name });
  if (found) return found;
  const known = (await listObjects(cluster, stopResource)).map(nameOf);
  const [other] = known;
  if (other === undefined)
    throw new Failure(`there is no EvictionStop ${name} in context ${cluster.context}`, 'see: sluice pauses');
  throw new Failure(
    `there is no EvictionStop ${name} in context ${cluster.context}; the cluster is stopped by ${known.slice(0, 3).join(', ')}`,
    `end it with: sluice resume --all --name ${other}`,
  );
}

const heededAfter = 1500;
const pollInterval = 250;

/** Waits until every marked pod is deleted or its mark is old. Throws a Failure after `within` milliseconds: how many are in flight. */
export async function waitUntilClusterSettled(
  cluster: OpenCluster,
  { io, within }: { readonly io: Io; readonly within: number },
): Promise<void> {
  const until = io.now() + within;
  await io.sleep(heededAfter);
  for (;;) {
    const inFlight: string[] = [];
    for await (const pod of objectsOf(cluster, podResource)) if (isInFlight(pod, io.now())) inFlight.push(nameOf(pod));
    if (inFlight.length === 0) return;
    if (io.now() >= until || io.signal.aborted)
      throw new Failure(
        `with ${countText(inFlight.length, 'eviction')} still in flight, such as that of ${inFlight[0]}`,
        'see: sluice events -A',
      );
    await io.sleep(pollInterval);
  }
}

/** Milliseconds: the evictor begins the DELETE within a second of marking the pod, and gives up after five. */
export const longestDelete = 10_000;

/** Marked recently and not yet terminating: the DELETE may be in flight. */
function isInFlight(pod: Json, now: number): boolean {
  if (objectOf(pod.metadata).deletionTimestamp !== undefined) return false;
  const conditions = listOf(objectOf(pod.status).conditions);
  const isDue = conditions.some(({ type }) => type === dueCondition);
  const marked = conditions.find(({ type }) => type === 'DisruptionTarget');
  return isDue && Date.parse(String(marked?.lastTransitionTime)) >= now - longestDelete;
}
