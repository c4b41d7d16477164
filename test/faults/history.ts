// A history: a small cluster, the events in it and at its watchers, and the probabilities of faults of the functions.
import type { Milliseconds } from '../../lib/model/time.ts';

/** Probabilities are between 0 and 1; all are 0 once the faults end. */
export interface Luck {
  /** That a message is delivered twice, perhaps long after it was processed. */
  readonly twice: number;
  /** That a message is lost. */
  readonly lost: number;
  /** How much later a message is delivered at most. */
  readonly delay: Milliseconds;
  /** That an invocation crashes at one of its calls, before or after its effect. */
  readonly crash: number;
  /** That a call takes up to `stallTime`. */
  readonly stall: number;
  readonly stallTime: Milliseconds;
  /** That a call to the table or a queue is throttled. */
  readonly throttled: number;
  /** That a call is carried out and ends in a time-out. */
  readonly unheard: number;
  /** That a query of the due index returns an earlier result. */
  readonly lagging: number;
  /** That the API server answers a request with 500, 503 or 429. */
  readonly refused: number;
  /** By how much clocks of functions are off at most, either way; they are never corrected. */
  readonly skew: Milliseconds;
  /** By how much clocks of watchers are off at most, either way; they are never corrected. */
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

/** Which devices a rule selects: one, those of a pool, or all of the driver. */
export type Selector = { readonly device: number } | { readonly pool: number } | { readonly driver: true };

/** Those that a PacedTaintRule has besides: by an attribute, and by the DeviceClass. */
export type PacedSelector = Selector | { readonly model: Model } | { readonly class: true };

/** The value of the devices' only attribute. */
export type Model = 'old' | 'new';

export type Action =
  /** Creates a pod and its claim, if they do not exist. */
  | { readonly do: 'Pod'; readonly pod: number; readonly device: number; readonly tolerates?: number }
  /** A person deletes a pod. */
  | { readonly do: 'RemovePod'; readonly pod: number }
  | { readonly do: 'Taint' | 'Untaint'; readonly device: number }
  /** A driver publishes a device with another attribute. */
  | { readonly do: 'Attribute'; readonly device: number; readonly model: Model }
  /** Creates or edits the only DeviceClass: by an attribute, or with all devices of the driver. */
  | { readonly do: 'Class'; readonly model?: Model }
  | { readonly do: 'RemoveClass' }
  /** A person edits the annotation of a pod's claim that lists tolerations. */
  | { readonly do: 'Annotate'; readonly pod: number; readonly tolerates: 'Everything' | 'Nothing' | 'Unreadable' }
  /** A health agent edits its DeviceTaintSlice. */
  | { readonly do: 'AgentTaint' | 'AgentUntaint'; readonly device: number }
  /** Creates a DeviceTaintRule, or edits it if it exists. */
  | {
      readonly do: 'Rule';
      readonly rule: number;
      readonly selector: Selector;
      readonly effect: 'NoExecute' | 'None';
      readonly pace?: Pace;
      readonly paused?: true;
    }
  | { readonly do: 'RemoveRule'; readonly rule: number }
  /** Creates or edits a PacedTaintRule. */
  | {
      readonly do: 'Paced';
      readonly rule: number;
      readonly selector: PacedSelector;
      readonly pace?: Pace;
      readonly paused?: true;
    }
  | { readonly do: 'RemovePaced'; readonly rule: number }
  /** Creates or edits the only EvictionPolicy. */
  | { readonly do: 'Policy'; readonly pace: Pace; readonly paused?: true }
  | { readonly do: 'RemovePolicy' }
  /** The process ends, and another replaces it. */
  | { readonly do: 'RestartWatcher'; readonly watcher: number }
  /** The watcher cannot reach the API server. */
  | { readonly do: 'PartitionWatcher'; readonly watcher: number; readonly for: Milliseconds }
  /** The watcher cannot reach the queue. */
  | { readonly do: 'MuteWatcher'; readonly watcher: number; readonly for: Milliseconds }
  /** The API server forgets all versions: every watcher relists. */
  | { readonly do: 'Compact' }
  | { readonly do: 'ApiServerDown'; readonly for: Milliseconds }
  /** A kind is not served for a while. */
  | { readonly do: 'NotServed'; readonly plural: string; readonly for: Milliseconds }
  /** An operator pauses the cluster, or resumes it. */
  | { readonly do: 'Pause' | 'Resume' }
  /** A person creates an EvictionStop, and deletes it after a while. */
  | { readonly do: 'Stop'; readonly for: Milliseconds }
  /** Dead letters are sent back to their queues. */
  | { readonly do: 'Redrive' }
  /** Another cluster replaces this one under the same name. */
  | { readonly do: 'NewCluster' }
  /** etcd is restored from an older copy, and a person then gives the cluster another incarnation. */
  | { readonly do: 'Restore'; readonly versionsBack: number; readonly toldAfter: Milliseconds }
  /** The table is put back to what it held about this long ago, and every function starts again with it. */
  | { readonly do: 'RestoreTable'; readonly back: Milliseconds };

export interface HistoryEvent {
  /** Since the start. */
  readonly at: Milliseconds;
  readonly action: Action;
}

export interface History {
  /** The seed of all random choices. */
  readonly seed: number;
  /** How many watchers run at once. */
  readonly watchers: 1 | 2;
  /** Pods that Sluice deletes are created again under their names, like those of a StatefulSet. */
  readonly comesBack: boolean;
  readonly luck: Luck;
  /** When the faults end. */
  readonly length: Milliseconds;
  readonly events: readonly HistoryEvent[];
}
