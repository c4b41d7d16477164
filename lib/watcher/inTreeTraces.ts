// Keeps the newest trace of an in-tree controller that the watches show, and asks it by a probe where that is allowed.
import type { ApiClient } from '../adapters/kubernetes/apiClient.ts';
import { inTreeTraceOf } from '../adapters/kubernetes/inTreeTrace.ts';
import { answersWithin, probeInTreeController } from '../adapters/kubernetes/probe.ts';
import type { InTreeSeen } from '../model/ownership.ts';
import type { ObjectKind } from '../model/projection.ts';
import type { Clock, Log } from '../ports.ts';
import { pause } from './pauses.ts';

export interface InTreeTraces {
  /** Absent where nothing was seen. */
  readonly newest: InTreeSeen | undefined;
  /** An object as it is, or as it was at last. */
  see(kind: ObjectKind, object: unknown): void;
  note(seen: InTreeSeen): void;
}

/** A trace is told once more with every heartbeat, so that one that was lost, or is too old to count, does no harm. */
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

/** A controller may be switched on later, and one without rules leaves no traces. */
const probeEvery = 3_600_000;

export interface ProbingDependencies {
  readonly client: ApiClient;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** The API server's clock. */
  readonly serverNow: () => number;
}

/** Ends when the signal is aborted. In doubt the controller counts as seen; the doubt is as old as this process's first one. */
export async function probeFromTimeToTime(deps: ProbingDependencies, traces: InTreeTraces): Promise<void> {
  let doubtSince: number | undefined;
  const { signal } = deps;
  // A process that ends does not wait for an answer, but still deletes its probe.
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
