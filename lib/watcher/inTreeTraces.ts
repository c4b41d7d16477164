// Keeps the newest trace of an in-tree controller that the watches show, and probes for one if allowed.
import type { ApiClient } from '../adapters/kubernetes/apiClient.ts';
import { inTreeTraceOf } from '../adapters/kubernetes/inTreeTrace.ts';
import { answersWithin, probeInTreeController } from '../adapters/kubernetes/probe.ts';
import type { InTreeSeen } from '../model/ownership.ts';
import type { ObjectKind } from '../model/projection.ts';
import type { Clock, Log } from '../ports.ts';
import { pause } from './pauses.ts';

export interface InTreeTraces {
  /** Absent if none was seen. */
  readonly newest: InTreeSeen | undefined;
  /** Checks an object's current or last state for a trace. */
  see(kind: ObjectKind, object: unknown): void;
  note(seen: InTreeSeen): void;
}

/** Every heartbeat repeats the trace, so that a lost or outdated message does no harm. */
export function createInTreeTraces(log: Log): InTreeTraces {
  let newest: InTreeSeen | undefined;
  const note = (seen: InTreeSeen) => {
    if (newest && newest.at >= seen.at) return;
    if (!newest) log.warn('traces of an in-tree device-taint-eviction-controller', { ...seen });
    newest = seen;
  };
  return {
    get newest() {
      return newest;
    },
    see(kind, object) {
      const seen = inTreeTraceOf(kind, object);
      if (seen) note(seen);
    },
    note,
  };
}

/** The controller may be enabled later, and without rules it leaves no traces. */
const probeEvery = 3_600_000;

export interface ProbingDependencies {
  readonly client: ApiClient;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** The API server's clock. */
  readonly serverNow: () => number;
}

/**
 * Ends when the signal is aborted. If the result is unclear, the controller counts as seen, at the time of this process's first unclear
 * result.
 */
export async function probeFromTimeToTime(deps: ProbingDependencies, traces: InTreeTraces): Promise<void> {
  let doubtSince: number | undefined;
  const { signal } = deps;
  // A process that ends does not wait for the result, but still deletes its probe.
  const clock: Clock = {
    now: () => deps.clock.now() + (signal.aborted ? answersWithin : 0),
    sleep: (duration) => pause(signal, duration),
  };
  while (!signal.aborted) {
    const found = await probeInTreeController(deps.client, clock);
    if (signal.aborted) return;
    if (found.kind === 'Active') traces.note({ at: deps.serverNow(), evidence: found.evidence });
    if (found.kind === 'Unknown') {
      doubtSince ??= deps.serverNow();
      deps.log.warn('whether an in-tree controller acts cannot be told', { why: found.why });
      traces.note({ at: doubtSince, evidence: `it is unknown whether it acts: ${found.why}` });
    }
    await pause(signal, probeEvery);
  }
}
