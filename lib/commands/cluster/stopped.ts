// Whether a cluster has an EvictionStop, with the same text as the conditions of its rules.
import { stopOf } from '../../adapters/kubernetes/evictionStop.ts';
import type { Json } from '../../adapters/kubernetes/read.ts';
import { stopResource } from '../../adapters/kubernetes/servedVersion.ts';
import { stoppedBy, stoppedText } from '../../model/stop.ts';
import { failureLines } from '../failure.ts';
import { listObjects } from './objects.ts';
import type { OpenCluster } from './open.ts';

/** `stopped` is a sentence. A caller that may not list EvictionStops gets a problem instead; the evictor may still see stops. */
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

/** Absent: there is no EvictionStop. */
export function stoppedIn(objects: readonly Json[]): string | undefined {
  const stops = objects.map(stopOf);
  return stops.length === 0 ? undefined : stoppedText(stoppedBy(stops));
}

export function stopsNotRead(why: string): string {
  return `EvictionStops: ${why}`;
}
