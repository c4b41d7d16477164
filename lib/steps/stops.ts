// Reads whether an EvictionStop exists in a cluster; asked right before every call that marks or deletes a pod.
import type { LiveCluster, NotRead, SharedReads } from '../liveCluster.ts';
import { type EvictionStop, stoppedBy } from '../model/stop.ts';
import type { Instant, Milliseconds } from '../model/time.ts';
import type { State } from '../state/state.ts';
import { noteStops } from '../state/stopRows.ts';

/** Maximum age of an answer that the pods of a process share. */
const stopsFor: Milliseconds = 250;

/** Maximum age of a read started in parallel with the preceding write or PATCH, so that PATCH and DELETE need not wait for it. */
const stopsAhead: Milliseconds = 100;

/** Maximum age of the stop read when a DELETE is sent: with the request under way, a stop takes effect within one second. */
export const oldestStop: Milliseconds = 500;

/** How often a stop is noted; a recent note is shown as an active stop (`readNotedStops`). */
const notedEvery: Milliseconds = 10_000;

export type StopsSeen =
  | { readonly kind: 'None'; readonly readAt: Instant }
  /** `read`: EvictionStops cannot be read, which also stops evictions. */
  | {
      readonly kind: 'Stopped';
      readonly readAt: Instant;
      readonly stops: readonly EvictionStop[];
      readonly why: string;
      readonly read?: NotRead['kind'];
    };

/** If the kind is not installed, there is no stop; if the read fails, evictions stop. */
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

/** Starts a read for the next `findStops`, which reports a failure. */
export function readStopsAhead(access: Parameters<typeof readStops>[0]): void {
  readStops(access, stopsAhead).catch(() => undefined);
}

/** For a stage. Notes a stop in the table for readers that do not call the API server. */
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
