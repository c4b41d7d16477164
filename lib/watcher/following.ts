// What following one kind needs, and what it keeps in mind.
import type { ApiClient } from '../adapters/kubernetes/apiClient.ts';
import type { ChangeSink, Clock, Log } from '../ports.ts';
import type { ForwardMemory } from '../steps/forward.ts';
import type { Deletions } from './deletions.ts';
import type { InTreeTraces } from './inTreeTraces.ts';
import type { KindState } from './kinds.ts';
import type { createComplaint } from './pauses.ts';

export interface FollowerDependencies {
  readonly client: ApiClient;
  readonly sink: ChangeSink;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Of pods: told of each as it is shown. */
  readonly deletions?: Deletions;
  /** Told of every object as it is shown. */
  readonly traces: Pick<InTreeTraces, 'see'>;
}

export interface Following {
  readonly deps: FollowerDependencies;
  readonly state: KindState;
  readonly memory: ForwardMemory;
  readonly complaint: ReturnType<typeof createComplaint>;
  failures: number;
}
