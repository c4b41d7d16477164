// Dependencies and state of following one kind.
import type { ApiClient } from '../adapters/kubernetes/apiClient.ts';
import type { Instant } from '../model/time.ts';
import type { ApiFailure, ChangeSink, Clock, Log } from '../ports.ts';
import type { Deletions } from './deletions.ts';
import type { ForwardMemory } from './forward.ts';
import type { InTreeTraces } from './inTreeTraces.ts';
import type { KindSource, KindState } from './kinds.ts';
import { backoff, type createComplaint, pause } from './pauses.ts';

export interface FollowerDependencies {
  readonly client: ApiClient;
  readonly sink: ChangeSink;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** For pods: receives every pod from list and watch. */
  readonly deletions?: Deletions;
  /** Receives every object from list and watch. */
  readonly traces: Pick<InTreeTraces, 'see'>;
}

export interface Following {
  readonly source: KindSource;
  readonly deps: FollowerDependencies;
  readonly state: KindState;
  readonly memory: ForwardMemory;
  readonly complaint: ReturnType<typeof createComplaint>;
  failures: number;
  /** API path of the served version; empty while there is none. */
  path: string;
  /** The version at which the memory equals the cluster; absent during a list. */
  reached: { readonly resourceVersion: string; readonly heardAt: Instant } | undefined;
  /** The highest version of the kind that this process has seen. */
  readonly highest: { version: string | undefined };
}

/** Retries a 403 too: an operator may be applying the role right now. */
export async function waitAfter(
  following: Following,
  failure: ApiFailure | { readonly kind: 'Expired'; readonly why: string },
): Promise<void> {
  const { deps, state, complaint } = following;
  following.failures++;
  Object.assign(state, {
    phase: 'Waiting',
    problem: failure.why,
    problemSince: state.problemSince ?? deps.clock.now(),
  });
  complaint.say(`${state.kind}: ${failure.why}`, { failures: following.failures });
  const asked = failure.kind === 'RetryLater' ? failure.after : 0;
  await pause(deps.signal, Math.max(asked, backoff(following.failures)));
}
