// The dependencies of every step, and how a step asks for its message to be delivered again.
import type { LiveCluster, SharedReads } from '../liveCluster.ts';
import type { Memory } from '../memory.ts';
import type { ClusterId, ClusterName } from '../model/identity.ts';
import type { ConfiguredModes, Modes } from '../model/ownership.ts';
import type { TaintRule } from '../model/rule.ts';
import type { InstallationSettings } from '../model/snapshot.ts';
import type {
  ClaimConsumers,
  Clock,
  DisruptionBudgets,
  EventRecorder,
  LiveRule,
  Log,
  Metrics,
  PodEvictor,
  Policies,
  Projections,
  Queues,
  RuleStatusWriter,
  TaintSlices,
} from '../ports.ts';
import type { State } from '../state/state.ts';
import type { Table } from '../table.ts';

/** The API server of one cluster, for the evict stage. */
export interface EvictionAccess {
  readonly evictor: PodEvictor;
  readonly live: LiveCluster;
  readonly shared: SharedReads;
  readonly events: EventRecorder;
}

/** Plus what the report stage reads and writes in the cluster. */
export interface ClusterAccess extends EvictionAccess {
  readonly ruleStatus: RuleStatusWriter;
  readonly taintSlices: TaintSlices;
  readonly projections: Projections;
  readonly policies: Policies;
  readonly budgets: DisruptionBudgets;
  readonly consumers: ClaimConsumers;
}

export interface StepDependencies {
  readonly table: Table;
  readonly clock: Clock;
  readonly queues: Queues;
  readonly metrics: Metrics;
  readonly log: Log;
  /** As configured; the modes stored in the table may allow less (`readModes`). */
  readonly modesOf: (cluster: ClusterId | ClusterName) => ConfiguredModes;
  /** Evictions per second of a whole cluster, over all its rules and slices; `undefined`: no limit. */
  readonly limitOf: (cluster: ClusterId) => number | undefined;
  readonly settings: InstallationSettings;
  /** Days for which records of evictions are kept. */
  readonly recordDays: number;
  /** In-memory caches of this process; empty at start. */
  readonly memory: Memory;
}

/** Steps that talk to API servers. */
export interface ClusterStepDependencies<Access extends EvictionAccess = ClusterAccess> extends StepDependencies {
  /** `undefined` for a cluster that is not configured: its messages end in the dead-letter queue. */
  readonly accessTo: (cluster: ClusterName) => Access | undefined;
}

export type EvictDependencies = ClusterStepDependencies<EvictionAccess>;

/** A rule whose status needs updating. */
export interface ReportedRule extends LiveRule {
  readonly access: ClusterAccess;
  readonly modes: Modes;
  /** Its taints with what only the table stores: their policy and the CEL selectors of their class. */
  readonly taints: readonly TaintRule[];
}

/** One cluster that this process may call. */
export interface Turn {
  readonly state: State;
  readonly access: EvictionAccess;
}

/** A step succeeded and wants its message delivered again; a stage returns at most 43,200 seconds (SQS VisibilityTimeout). */
export interface ComeBack {
  readonly kind: 'ComeBack';
  readonly seconds: number;
}

export function isComeBack(answer: unknown): answer is ComeBack {
  return typeof answer === 'object' && answer !== null && 'kind' in answer && answer.kind === 'ComeBack';
}
