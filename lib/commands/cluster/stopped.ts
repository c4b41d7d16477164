// Whether an EvictionStop stands in a cluster, in the words that the conditions of its rules have.
import { type Json, objectOf, textOf } from '../../adapters/kubernetes/read.ts';
import { stopResource } from '../../adapters/kubernetes/servedVersion.ts';
import { stoppedBy, stoppedText } from '../../model/stop.ts';
import { failureLines } from '../failure.ts';
import { listObjects, nameOf } from './objects.ts';
import type { OpenCluster } from './open.ts';

/** `stopped` is a sentence. Who may not list the stops is told so, and that says nothing about the evictor. */
export async function readStopped(
  cluster: OpenCluster,
): Promise<{ readonly stopped?: string; readonly problems: readonly string[] }> {
  try {
    const stopped = stoppedIn(await listObjects(cluster, stopResource));
    return { ...(stopped === undefined ? {} : { stopped }), problems: [] };
  } catch (error) {
    const [why = ''] = failureLines(error);
    return { problems: [stopsNotRead(why.replace(/^error: /, ''))] };
  }
}

/** Absent: no EvictionStop stands. */
export function stoppedIn(objects: readonly Json[]): string | undefined {
  const stops = objects.map((one) => {
    const reason = textOf(objectOf(one.spec).reason);
    return { name: nameOf(one), ...(reason ? { reason } : {}) };
  });
  return stops.length === 0 ? undefined : stoppedText(stoppedBy(stops));
}

export function stopsNotRead(why: string): string {
  return `whether an EvictionStop stands: ${why}`;
}
