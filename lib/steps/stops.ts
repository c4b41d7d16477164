// Whether an EvictionStop stands in a cluster: asked right before everything that marks or deletes a pod.
import type { LiveCluster, NotRead, SharedReads } from '../liveCluster.ts';
import { type EvictionStop, stoppedBy } from '../model/stop.ts';
import type { Instant, Milliseconds } from '../model/time.ts';
import type { State } from '../state/state.ts';
import { noteStops } from '../state/stopRows.ts';

/** Shared by the pods of a process for so long. */
const stopsFor: Milliseconds = 250;

/** Asked for beside the write or the PATCH before it, so that neither PATCH nor DELETE waits for it. */
const stopsAhead: Milliseconds = 100;

/** A DELETE is sent no later than this after its stop was asked for, so that one second holds with the request under way. */
export const oldestStop: Milliseconds = 500;

/** A stop that is noted again every so often is shown as standing (`readNotedStops`). */
const notedEvery: Milliseconds = 10_000;

export type StopsSeen =
  | { readonly kind: 'None'; readonly readAt: Instant }
  /** `read`: it is unknown whether there is one, which stops, too. */
  | {
      readonly kind: 'Stopped';
      readonly readAt: Instant;
      readonly stops: readonly EvictionStop[];
      readonly why: string;
      readonly read?: NotRead['kind'];
    };

/** A kind that is not installed is no stop; a read without an answer stops. */
async function readStops(
  from: { readonly live: LiveCluster; readonly shared: SharedReads },
  maxAge: Milliseconds = stopsFor,
): Promise<StopsSeen> {
  const { value, readAt } = await from.shared.read('stops', { maxAge }, () => from.live.stops());
  switch (value.kind) {
    case 'NotServed':
      return { kind: 'None', readAt };
    case 'RetryLater':
    case 'Refused':
      return {
        kind: 'Stopped',
        readAt,
        stops: [],
        why: `it cannot be read whether an EvictionStop is there: ${value.why}`,
        read: value.kind,
      };
    case 'Listed': {
      const { stops } = value;
      if (stops.length === 0) return { kind: 'None', readAt };
      return { kind: 'Stopped', readAt, stops, why: stoppedBy(stops) };
    }
    default:
      return value satisfies never;
  }
}

/** For the next `findStops`; that it cannot be read is said there. */
export function readStopsAhead(access: Parameters<typeof readStops>[0]): void {
  readStops(access, stopsAhead).catch(() => undefined);
}

/** The same for a stage: what stops is noted for those who read only the table. */
export async function findStops(
  { state, access }: { readonly state: State; readonly access: Parameters<typeof readStops>[0] },
  now: Instant,
  maxAge?: Milliseconds,
): Promise<StopsSeen> {
  const seen = await readStops(access, maxAge);
  if (seen.kind === 'Stopped') {
    const note = () => noteStops(state, { why: seen.why, stops: seen.stops, now });
    await access.shared.read('noted stops', { maxAge: notedEvery }, note);
  }
  return seen;
}
