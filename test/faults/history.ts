// What a history is: a small cluster, what happens to it and to its watchers, and how much luck the functions have.
import type { Milliseconds } from '../../lib/model/time.ts';

/** Probabilities are between 0 and 1; all are 0 once the faults end. */
export interface Luck {
  /** Of a message to be delivered twice, or long after it was done. */
  readonly twice: number;
  /** Of a message to vanish. */
  readonly lost: number;
  /** A message is handed out up to so much later than it might be. */
  readonly delay: Milliseconds;
  /** Of an invocation to end at one of its calls, done or not. */
  readonly crash: number;
  /** Of a call to take up to `stallTime`. */
  readonly stall: number;
  readonly stallTime: Milliseconds;
  /** Of a call of the table or a queue to be throttled. */
  readonly throttled: number;
  /** Of a call to be carried out and to end in a time-out. */
  readonly unheard: number;
  /** Of a query of the due index to answer as an earlier one did. */
  readonly lagging: number;
  /** Of a request to the API server to be answered by 500, 503 or 429. */
  readonly refused: number;
  /** Clocks of functions differ by up to so much, either way; they stay wrong. */
  readonly skew: Milliseconds;
  /** Clocks of watchers differ by up to so much, either way; they stay wrong. */
  readonly watcherSkew: Milliseconds;
}

export const noLuckNeeded: Luck = {
  twice: 0,
  lost: 0,
  delay: 0,
  crash: 0,
  stall: 0,
  stallTime: 0,
  throttled: 0,
  unheard: 0,
  lagging: 0,
  refused: 0,
  skew: 0,
  watcherSkew: 0,
};

export interface Pace {
  readonly perSecond: number;
  readonly burst: number;
}

/** Which devices a rule reaches: one, those of a pool, or all of the driver. */
export type Selector = { readonly device: number } | { readonly pool: number } | { readonly driver: true };

export type Action =
  /** A pod and its claim, if they are not there. */
  | { readonly do: 'Pod'; readonly pod: number; readonly device: number; readonly tolerates?: number }
  /** A person deletes it. */
  | { readonly do: 'RemovePod'; readonly pod: number }
  | { readonly do: 'Taint' | 'Untaint'; readonly device: number }
  /** In a DeviceTaintSlice, as health agents do. */
  | { readonly do: 'AgentTaint' | 'AgentUntaint'; readonly device: number }
  /** Made, or edited where it is there. */
  | {
      readonly do: 'Rule';
      readonly rule: number;
      readonly selector: Selector;
      readonly effect: 'NoExecute' | 'None';
      readonly pace?: Pace;
      readonly paused?: true;
    }
  | { readonly do: 'RemoveRule'; readonly rule: number }
  /** A PacedTaintRule. */
  | {
      readonly do: 'Paced';
      readonly rule: number;
      readonly selector: Selector;
      readonly pace?: Pace;
      readonly paused?: true;
    }
  | { readonly do: 'RemovePaced'; readonly rule: number }
  /** The only EvictionPolicy. */
  | { readonly do: 'Policy'; readonly pace: Pace; readonly paused?: true }
  | { readonly do: 'RemovePolicy' }
  /** The process ends and another one takes its place. */
  | { readonly do: 'RestartWatcher'; readonly watcher: number }
  /** It hears nothing of the API server. */
  | { readonly do: 'PartitionWatcher'; readonly watcher: number; readonly for: Milliseconds }
  /** It cannot reach the queue. */
  | { readonly do: 'MuteWatcher'; readonly watcher: number; readonly for: Milliseconds }
  /** The API server forgets all versions: every watcher lists. */
  | { readonly do: 'Compact' }
  | { readonly do: 'ApiServerDown'; readonly for: Milliseconds }
  /** A kind is not served for a while. */
  | { readonly do: 'NotServed'; readonly plural: string; readonly for: Milliseconds }
  /** An operator stops the cluster, or lets it continue. */
  | { readonly do: 'Pause' | 'Resume' }
  /** Dead letters are sent back. */
  | { readonly do: 'Redrive' }
  /** Another cluster under the same name. */
  | { readonly do: 'NewCluster' }
  /** etcd is put back to an older copy, and a person gives the cluster another incarnation. */
  | { readonly do: 'Restore'; readonly versionsBack: number; readonly toldAfter: Milliseconds };

export interface HistoryEvent {
  /** Since the start. */
  readonly at: Milliseconds;
  readonly action: Action;
}

export interface History {
  /** Of everything that is left to chance. */
  readonly seed: number;
  /** Two watchers at once where it is 2. */
  readonly watchers: 1 | 2;
  /** Pods that Sluice deletes come back under their names, as a StatefulSet's do. */
  readonly comesBack: boolean;
  readonly luck: Luck;
  /** When the faults end. */
  readonly length: Milliseconds;
  readonly events: readonly HistoryEvent[];
}
