// What the steps need from outside: time, the API server, the table, the queues. Every port has one contract suite.
import type { ClusterStage } from './contract.ts';
import type { MetricName } from './metrics.ts';
import type { Change } from './model/change.ts';
import type { EvictionOutcome } from './model/eviction.ts';
import type { ClusterId, ClusterName, PodRef, Uid } from './model/identity.ts';
import type {
  DueMessage,
  EvaluateMessage,
  EventMessage,
  EvictMessage,
  ReportMessage,
  ResendMessage,
} from './model/message.ts';
import type { ConsumerReference, ConsumerState, ResourceClaim } from './model/objects.ts';
import type { DisruptionBudget } from './model/plan.ts';
import type { EvictionPolicy } from './model/policy.ts';
import type { AnyRule, ProjectedRule, SeenTaint } from './model/rule.ts';
import type { EventToRecord, RuleCondition } from './model/status.ts';
import type { DeviceTaintSlice, TaintSliceCounts } from './model/taintSlice.ts';
import type { Instant, Milliseconds } from './model/time.ts';

export interface Clock {
  now(): Instant;
  sleep(duration: Milliseconds): Promise<void>;
}

/** Where the watcher sends what it saw; keeps trying until the queue has it or the process is told to stop. */
export interface ChangeSink {
  send(changes: readonly Change[]): Promise<void>;
}

/**
 * One answer of the API server, as far as a step cares. `RetryLater`: 429, 5xx, time-outs, no connection, 401 after one
 * renewal. `Refused`: 403. Never throws for an answer; throws only for bugs.
 */
export type ApiFailure = Extract<EvictionOutcome, { kind: 'RetryLater' | 'Refused' }>;
type Marked =
  | { readonly kind: 'Marked'; readonly status?: number }
  | Extract<EvictionOutcome, { kind: 'Gone' }>
  | ApiFailure;

/** The calls that evict one pod, all with the pod's UID as precondition. */
export interface PodEvictor {
  /** PATCH pods/status with the UID: DisruptionTarget, and `dueCondition` since `due`; missing, replaced or terminating is Gone. */
  mark(pod: PodRef, due: Instant): Promise<Marked>;
  /** DELETE with preconditions.uid; without `gracePeriodSeconds` the pod's own grace period applies. 404 and 409 are Gone. */
  delete(pod: PodRef, gracePeriodSeconds?: number): Promise<EvictionOutcome>;
  /** POST pods/eviction of policy/v1 with the same options. `Blocked`: a disruption budget keeps the pod for now (429). */
  evict(
    pod: PodRef,
    gracePeriodSeconds?: number,
  ): Promise<EvictionOutcome | { readonly kind: 'Blocked'; readonly why: string; readonly status?: number }>;
  /** GET, in effect: whether that very pod is there, and not terminating. */
  look(pod: PodRef): Promise<{ readonly kind: 'Present' } | Extract<EvictionOutcome, { kind: 'Gone' }> | ApiFailure>;
}

/** What a status is written for, as the API server has it. */
export interface LiveRule {
  readonly rule: AnyRule;
  readonly conditions: readonly RuleCondition[];
  /** status.rate of a PacedTaintRule. */
  readonly shownRate?: string;
}

/**
 * Writes conditions by server-side apply on the status subresource, with the rule's UID. Each part has a field manager of its own
 * (`sluice`, `sluice-plan`, `sluice-hold`, `sluice-pace`): it keeps what the other wrote, and drops of its own what is not named again.
 */
export interface RuleStatusWriter {
  apply(
    rule: RuleIdentity,
    conditions: readonly RuleCondition[],
    part?: 'plan' | 'hold' | 'pace' | 'projection',
  ): Promise<StatusWritten>;
  /** Writes status.taints of a PacedTaintRule, as field manager `sluice-time`. */
  applySeen(rule: RuleIdentity, seen: readonly SeenTaint[]): Promise<StatusWritten>;
  /** Writes status.rate of a PacedTaintRule, as field manager `sluice-rate`. */
  applyRate(rule: RuleIdentity, rate: string): Promise<StatusWritten>;
}

/** Without a kind it is a DeviceTaintRule. */
export type RuleIdentity = Pick<AnyRule, 'name' | 'uid'> & { readonly kind?: AnyRule['kind'] };

export type StatusWritten =
  | { readonly kind: 'Written' }
  | { readonly kind: 'RuleGone' }
  /** The object has as many conditions as the API server allows, and others wrote them. */
  | { readonly kind: 'Full'; readonly why: string }
  | ApiFailure;

/** EvictionPolicies, whose status says whether they can be used. */
export interface Policies {
  applyConditions(policy: EvictionPolicy, conditions: readonly RuleCondition[]): Promise<StatusWritten>;
}

/** Native rules that Sluice writes for one PacedTaintRule or DeviceTaintSlice, by its UID. */
export interface Projections {
  list(
    from: Uid,
  ): Promise<
    { readonly kind: 'Found'; readonly names: readonly string[] } | { readonly kind: 'NotServed' } | ApiFailure
  >;
  /** One that exists already counts as written. */
  create(rule: ProjectedRule): Promise<{ readonly kind: 'Written' } | ApiFailure>;
  /** One that is gone counts as written. */
  remove(name: string): Promise<{ readonly kind: 'Written' } | ApiFailure>;
}

/** DeviceTaintSlices, whose status says from when their entries count and which do not. */
export interface TaintSlices {
  /** Drops what the part wrote before and does not name again. */
  applyConditions(
    slice: DeviceTaintSlice,
    conditions: readonly RuleCondition[],
    part: 'hold' | 'projection',
  ): Promise<StatusWritten>;
  applyStatus(
    slice: DeviceTaintSlice,
    status: { readonly seen: DeviceTaintSlice['seen']; readonly counts: TaintSliceCounts },
  ): Promise<StatusWritten>;
}

/** PodDisruptionBudgets of one namespace with the pods they select, read on request; `[]` where the API is not served. */
export interface DisruptionBudgets {
  read(
    namespace: string,
  ): Promise<{ readonly kind: 'Known'; readonly budgets: readonly DisruptionBudget[] } | ApiFailure>;
}

/** Consumers of claims that are not pods, of any kind that may be read (KEP-5194). */
export interface ClaimConsumers {
  find(namespace: string, consumer: ConsumerReference): Promise<ConsumerState>;
  /** Whether a pod refers to the claim, scheduled or not, by the API server's own list. */
  isReferenced(
    claim: Pick<ResourceClaim, 'namespace' | 'name'>,
  ): Promise<{ readonly kind: 'Known'; readonly isReferenced: boolean } | ApiFailure>;
  /** Writes what is left of reservedFor, if the claim is still the one that was read. */
  release(
    claim: Pick<ResourceClaim, 'namespace' | 'name' | 'uid' | 'resourceVersion'>,
    remaining: readonly ConsumerReference[],
  ): Promise<{ readonly kind: 'Released' | 'Moved' } | ApiFailure>;
}

/** Events are best effort: a failure is counted and logged, never retried at the cost of an eviction. */
export interface EventRecorder {
  record(event: EventToRecord): Promise<void>;
}

/** Messages between stages; a message says what to look at, never what to do. */
export interface Queues {
  /** Pods to evaluate again, at most 100 keys each. */
  sendEvaluate(messages: readonly EvaluateMessage[]): Promise<void>;
  /** Limiters to process. `notBefore`: not earlier than this; at most 900 s ahead counts (SQS DelaySeconds). */
  sendEvict(messages: readonly (EvictMessage & { readonly notBefore?: Instant })[]): Promise<void>;
  /** Rows that are due, at most 100, to the queue of a stage, also `notBefore`. Ingest takes them together, the others one by one. */
  sendDue(
    messages: readonly (DueMessage & { readonly stage: 'ingest' | ClusterStage; readonly notBefore?: Instant })[],
  ): Promise<void>;
  /** Requests to the watcher of a cluster, at most 100 objects each. */
  sendResend(messages: readonly ResendMessage[]): Promise<void>;
  sendReport(messages: readonly (ReportMessage & { readonly notBefore?: Instant })[]): Promise<void>;
  /** Events to be recorded by the report stage, so that only it and evict hold credentials for API servers. */
  sendEvents(messages: readonly EventMessage[]): Promise<void>;
}

export interface Metrics {
  /** Metrics are of a cluster's name. */
  add(name: MetricName, value: number, cluster: ClusterId | ClusterName): void;
}

/** Structured log lines; the fields a reader filters by are always spelled the same. */
export interface Log {
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}
