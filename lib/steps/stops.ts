// Reads whether an EvictionStop exists in a cluster; asked right before every call that marks or deletes a pod.
import type { LiveCluster, NotRead, SharedReads } from '../liveCluster.ts';
import { describeStops, type EvictionStop, stoppedBy } from '../model/stop.ts';
import type { Instant, Milliseconds } from '../model/time.ts';
import type { State } from '../state/state.ts';
import { noteStops, readNotedStops } from '../state/stopRows.ts';

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

/** What to do about a kind that is not served, although the table knows objects of it. */
export const installAgain = 'install it again, or wait if it was removed';

interface From {
  readonly state: State;
  readonly access: { readonly live: LiveCluster; readonly shared: SharedReads };
}

/** If the kind is not installed, there is no stop, unless one was noted: a kind does not vanish with its objects for one answer. */
async function readStops({ state, access }: From, now: Instant, maxAge: Milliseconds = stopsFor): Promise<StopsSeen> {
  const { value, readAt } = await access.shared.read('stops', { maxAge }, async () => {
    const found = await access.live.stops();
    return found.kind === 'NotServed' ? { ...found, noted: await readNotedStops(state, now) } : found;
  });
  const stopped = (stops: readonly EvictionStop[], why: string, read?: NotRead['kind']) =>
    ({ kind: 'Stopped', readAt, stops, why, ...(read && { read }) }) as const;
  switch (value.kind) {
    case 'NotServed': {
      const { noted, why, kind } = value;
      if (!noted) return { kind: 'None', readAt };
      const before = describeStops(noted.stops) || 'a failed read';
      return stopped(noted.stops, `${why}, but ${before} was noted: ${installAgain}`, kind);
    }
    case 'RetryLater':
    case 'Refused':
      return stopped([], `it cannot be read whether an EvictionStop is there: ${value.why}`, value.kind);
    case 'Listed':
      return value.stops.length === 0 ? { kind: 'None', readAt } : stopped(value.stops, stoppedBy(value.stops));
    default:
      return value satisfies never;
  }
}

/** Starts a read for the next `findStops`, which reports a failure. */
export function readStopsAhead(from: From, now: Instant): void {
  readStops(from, now, stopsAhead).catch(() => undefined);
}

/** For a stage. Notes a stop in the table for readers that do not call the API server; what only the note knows is not noted again. */
export async function findStops(from: From, now: Instant, maxAge?: Milliseconds): Promise<StopsSeen> {
  const seen = await readStops(from, now, maxAge);
  if (seen.kind === 'Stopped' && seen.read !== 'NotServed') {
    const note = () => noteStops(from.state, { why: seen.why, stops: seen.stops, now });
    await from.access.shared.read('noted stops', { maxAge: notedEvery }, note);
  }
  return seen;
}
