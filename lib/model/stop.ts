// An EvictionStop of sluice.dev/v1alpha1: while one object of this kind is there, nothing is evicted in its cluster.
import type { Uid } from './identity.ts';
import type { Instant } from './time.ts';

/** What it says beside its name is for people; whatever it looks like, it stops. */
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

/** Stops a cluster by kubectl alone. The manifest is the same as in docs/runbook.md and in the notes of the chart. */
export const stopCommand =
  'echo \'{"apiVersion":"sluice.dev/v1alpha1","kind":"EvictionStop","metadata":{"name":"stop"}}\' | kubectl create -f -';

/** `EvictionStop incident (disks fail)`, for people. */
export function describeStops(stops: readonly Pick<EvictionStop, 'name' | 'reason'>[]): string {
  return stops.map(({ name, reason }) => `EvictionStop ${name}${reason ? ` (${reason})` : ''}`).join('; ');
}

/** What stops and how to continue, in the words of `why`, `sluice.dev/Pacing` and the page. */
export function stoppedBy(stops: readonly Pick<EvictionStop, 'name' | 'reason'>[]): string {
  return `stopped by ${describeStops(stops)}; to continue: ${continueCommand(stops)}`;
}

/** The same as a sentence; `why` is a stop, or why it is unknown whether there is one. */
export function stoppedText(why: string): string {
  return `No pod of this cluster is evicted: ${why}.`;
}

export function continueCommand(stops: readonly Pick<EvictionStop, 'name'>[]): string {
  return `kubectl delete evictionstop ${stops.map(({ name }) => name).join(' ')}`;
}
