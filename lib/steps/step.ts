// What every step is given, and the three fates of a message.
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

/** With what the report stage writes there, and reads for it. */
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
  /** As configured; what the table says may be less (`readModes`). */
  readonly modesOf: (cluster: ClusterId | ClusterName) => ConfiguredModes;
  /** Evictions per second of a whole cluster, over all its rules and slices; `undefined`: any. */
  readonly limitOf: (cluster: ClusterId) => number | undefined;
  readonly settings: InstallationSettings;
  /** Days for which records of evictions are kept. */
  readonly recordDays: number;
  /** Of this process; a new one knows nothing. */
  readonly memory: Memory;
}

/** Steps that talk to API servers. */
export interface ClusterStepDependencies<Access extends EvictionAccess = ClusterAccess> extends StepDependencies {
  /** `undefined` for a cluster that is not configured: its messages are poison. */
  readonly accessTo: (cluster: ClusterName) => Access | undefined;
}

export type EvictDependencies = ClusterStepDependencies<EvictionAccess>;

/** A rule whose status needs updating. */
export interface ReportedRule extends LiveRule {
  readonly access: ClusterAccess;
  readonly modes: Modes;
  /** Its taints with what only the table has: their policy, the expressions of their class. */
  readonly taints: readonly TaintRule[];
}

/** One cluster that this process may call. */
export interface Turn {
  readonly state: State;
  readonly access: EvictionAccess;
}

/** A step's answer where its message is wanted again, without having failed; at most 43,200 (SQS VisibilityTimeout). */
export interface ComeBack {
  readonly kind: 'ComeBack';
  readonly seconds: number;
}

export function isComeBack(answer: unknown): answer is ComeBack {
  return typeof answer === 'object' && answer !== null && 'kind' in answer && answer.kind === 'ComeBack';
}
