// EvictionStop of sluice.dev/v1alpha1: while an object of this kind exists, no pod of its cluster is evicted.
import type { Uid } from './identity.ts';
import { managerText, noteText, parseNote } from './note.ts';
import type { Instant } from './time.ts';

/** An EvictionStop. All fields except its name are for people; any object of this kind stops evictions. */
export interface EvictionStop {
  readonly name: string;
  readonly uid: Uid;
  /** spec.reason. */
  readonly reason?: string;
  /** The field manager that wrote the spec. */
  readonly by?: string;
  /** metadata.creationTimestamp. */
  readonly since?: Instant;
}

/** Stops a cluster with kubectl alone. The same manifest is in docs/runbook.md and in the chart's notes. */
export const stopCommand =
  'echo \'{"apiVersion":"sluice.dev/v1alpha1","kind":"EvictionStop","metadata":{"name":"stop"}}\' | kubectl create -f -';

type Described = Pick<EvictionStop, 'name' | 'reason' | 'by' | 'since'>;

/** In words: `EvictionStop incident (disks fail; by field manager kubectl-create at 2026-01-01T12:00:00Z)`. */
export function describeStops(stops: readonly Described[]): string {
  return stops
    .map((stop) => {
      const note = noteOf(stop);
      return `EvictionStop ${stop.name}${note === '' ? '' : ` (${note})`}`;
    })
    .join('; ');
}

/** A reason from `sluice pause` names author and time itself. */
function noteOf({ reason = '', by, since }: Described): string {
  if (by === undefined || since === undefined || parseNote(reason).by !== undefined) return reason;
  return noteText({ why: reason, by: managerText(by), at: since });
}

/** What stops evictions and how to continue; used by `why`, `sluice.dev/Pacing` and the page. */
export function stoppedBy(stops: readonly Described[]): string {
  return `stopped by ${describeStops(stops)}; to continue: ${continueCommand(stops)}`;
}

/** Whether a text has `stoppedBy`; false for texts that say why EvictionStops cannot be read. */
export function namesStops(text: string): boolean {
  return text.includes('stopped by EvictionStop ');
}

/** The same as a sentence. `why`: a stop, or why it is unknown whether there is one. */
export function stoppedText(why: string): string {
  return `No pod of this cluster is evicted: ${why}.`;
}

export function continueCommand(stops: readonly Pick<EvictionStop, 'name'>[]): string {
  return `kubectl delete evictionstop ${stops.map(({ name }) => name).join(' ')}`;
}
