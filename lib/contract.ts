// Names and limits that functions and infrastructure must agree on.

/** Environment variables of the functions. */
export const environmentNames = {
  /** DynamoDB table name. */
  table: 'SLUICE_TABLE',
  /** Queue URLs by stage. */
  reconcileQueueUrl: 'SLUICE_RECONCILE_QUEUE_URL',
  evictQueueUrl: 'SLUICE_EVICT_QUEUE_URL',
  reportQueueUrl: 'SLUICE_REPORT_QUEUE_URL',
  /** JSON: `{"<ingest queue name>": "<cluster>"}`; a cluster's identity comes from the queue, never from a message. */
  ingestQueues: 'SLUICE_INGEST_QUEUES',
  /** JSON: `{"<cluster>": ClusterConnection}`, see `ClusterConnection`. */
  clusters: 'SLUICE_CLUSTERS',
  /** JSON, optional: choices that change how objects are read, see `Settings` of lib/model/snapshot.ts. */
  settings: 'SLUICE_SETTINGS',
  /** Days for which records are kept, optional. */
  recordDays: 'SLUICE_RECORD_DAYS',
  /** Of the process in an outbound cluster alone: which cluster it is in. */
  outboundCluster: 'SLUICE_CLUSTER',
  logLevel: 'POWERTOOLS_LOG_LEVEL',
} as const;

/** A variable may be `file:<name>`: its value lies beside the bundle, because an environment holds 4 KB (AWS Lambda). */
export const filePrefix = 'file:';

/** The sparse index of rows with unfinished work: its name, and the attributes that put a row into it. */
export const dueIndex = { name: 'due', partition: 'due', time: 'dueAt' } as const;

/** What rows of the mirror are known to be, without what they hold: manifests are held against it. */
export const headIndex = {
  name: 'heads',
  partition: 'head',
  sort: 'headKey',
  projected: ['uid', 'at', 'mirror'],
} as const;

/** How functions reach one API server. */
export interface ClusterConnection {
  /** `https://host[:port]`. */
  readonly endpoint: string;
  /** PEM of the CA that signed the API server's certificate; absent: the system's. */
  readonly certificateAuthority?: string;
  /**
   * eks: a token signed locally for that EKS cluster (aws-iam-authenticator format).
   * file: a JSON file `{"token"?, "clientCertificate"?, "clientKey"?}` read again on 401; local runs only.
   * outbound: by no function. A process in the cluster does what evict and report do elsewhere, from queues of its own.
   */
  readonly auth:
    | { readonly kind: 'eks'; readonly clusterName: string }
    | { readonly kind: 'file'; readonly path: string }
    | { readonly kind: 'outbound' };
  /** Who acts on native rules and slice taints: `own` (Sluice), `shadow` (Sluice decides and compares only), `off`. */
  readonly native: 'own' | 'shadow' | 'off';
  /**
   * `heed` (unless set): once the in-tree controller is seen to act, `own` of native taints becomes `shadow`. `ignore`: it does not.
   */
  readonly inTree?: 'heed' | 'ignore';
  /** The same as `native` of PacedTaintRules and DeviceTaintSlices; `own` unless set. */
  readonly paced?: 'own' | 'shadow' | 'off';
  /** Over all rules and slices of the cluster together: 0 to 10000, 0 evicts no pod. Default: no such limit. */
  readonly maxEvictionsPerSecond?: number;
}

/** Stages in the order of the flow; each is one queue, one dead-letter queue and one function. */
export const stages = ['ingest', 'reconcile', 'evict', 'report'] as const;
export type Stage = (typeof stages)[number];

/** The stages that call API servers; an outbound cluster has a queue of its own for each. */
export const clusterStages = ['evict', 'report'] as const satisfies readonly Stage[];
export type ClusterStage = (typeof clusterStages)[number];

/** Name or URL of an outbound cluster's queue, by that of the stage's queue. */
export function outboundQueue(ofStage: string, cluster: string): string {
  return `${ofStage}-${cluster}`;
}

/** Name or URL of a cluster's own queue, by that of the reconcile queue: what the watcher sends, and what it is asked for. */
export function clusterQueue(ofReconcile: string, name: 'ingest' | 'resend', cluster: string): string {
  return ofReconcile.replace(/reconcile$/, `${name}-${cluster}`);
}

/** URL of the queue that a watcher is asked by, by that of the queue that it sends to. */
export function resendQueueOf(ingestQueueUrl: string): string {
  return ingestQueueUrl.replace(/-ingest-(?=[^/]*$)/, '-resend-');
}

/** What a stage's infrastructure needs. Seconds unless said otherwise. Visibility is at least 6 times the timeout (AWS). */
export const stageLimits: Readonly<
  Record<Stage, { timeout: number; memoryMiB: number; batchSize: number; maxConcurrency: number }>
> = {
  ingest: { timeout: 30, memoryMiB: 512, batchSize: 10, maxConcurrency: 20 },
  reconcile: { timeout: 30, memoryMiB: 512, batchSize: 5, maxConcurrency: 50 },
  // One limiter at a time: a long run must not hold the message of another one.
  evict: { timeout: 150, memoryMiB: 512, batchSize: 1, maxConcurrency: 50 },
  report: { timeout: 30, memoryMiB: 512, batchSize: 5, maxConcurrency: 5 },
};

/** The sweep runs by schedule, not from a queue. */
export const sweepLimits = { timeout: 60, memoryMiB: 512, everyMinutes: 1 } as const;

/** The widget is asked by a person's dashboard, which waits. */
export const widgetLimits = { timeout: 10, memoryMiB: 512 } as const;

/** Minutes between two counts of everything that is tainted: they read the whole cluster's rows. */
export const gaugesEveryMinutes = 10;

/** Receives before a message goes to the dead-letter queue. */
export const maxReceiveCount = 8;

/** Days for which a record of an eviction can be looked up, unless the installation says otherwise. */
export const defaultRecordDays = 90;

/** SQS limits (AWS quotas). */
export const sqsLimits = { maxDelaySeconds: 900, maxBatchEntries: 10, maxMessageBytes: 1_048_576 } as const;

/** What a metric is counted in (a Gauge is a count that is not summed), and what it means. */
export interface MetricDefinition {
  readonly unit: 'Count' | 'Milliseconds' | 'Gauge';
  readonly meaning: string;
  /** An alarm watches it over all clusters: it is written without a dimension as well. CloudWatch charges by the alarm. */
  readonly isWatched?: true;
}

/** EMF metrics: dimension `cluster` on all of them (never a taint or a pod: cost). A count or a gauge of zero is not written. */
export const metricsNamespace = 'Sluice';
export const metrics = {
  ChangesApplied: { unit: 'Count', meaning: 'changes of the cluster stored by ingest' },
  ChangesStale: { unit: 'Count', meaning: 'changes older than what is stored, dropped' },
  MessagesPoison: {
    unit: 'Count',
    meaning: 'messages that cannot be parsed: logged, counted, acknowledged',
    isWatched: true,
  },
  PodsListed: { unit: 'Count', meaning: 'pods found to be evicted, each once' },
  PodsEvicted: { unit: 'Count', meaning: 'pods deleted' },
  DeletionDuration: { unit: 'Milliseconds', meaning: 'DELETE answered minus the instant at which the pod became due' },
  EvictionsCancelled: { unit: 'Count', meaning: 'pending evictions dropped because the reason went away' },
  EvictionsRefused: {
    unit: 'Count',
    meaning: 'deletes, patches or reads that the API server forbids (403)',
    isWatched: true,
  },
  TokensDropped: {
    unit: 'Count',
    meaning: 'tokens that were taken and became too old before they could be used',
    isWatched: true,
  },
  LeasesTakenOver: {
    unit: 'Count',
    meaning: 'leases of limiters that ran out because their holder had not ended them: it crashed, or timed out',
    isWatched: true,
  },
  IntentsInterrupted: {
    unit: 'Count',
    meaning: 'looks at evictions that have been open for more than half a minute',
    isWatched: true,
  },
  ObjectsOutstanding: {
    unit: 'Count',
    meaning: 'requests for objects that the watcher was asked for five times before and has not sent',
    isWatched: true,
  },
  PaceError: { unit: 'Milliseconds', meaning: 'DELETE answered minus the time of its token' },
  FirstDeleteLatency: {
    unit: 'Milliseconds',
    meaning: 'DELETE answered minus the instant at which the pod became due, where a token was free',
  },
  Rules: { unit: 'Gauge', meaning: 'rules in the cluster, while a device is tainted' },
  TaintedDevices: { unit: 'Gauge', meaning: 'published devices with any taint' },
  AllocatedTaintedDevices: { unit: 'Gauge', meaning: 'tainted devices that a claim holds' },
  ClaimsWithTolerations: { unit: 'Gauge', meaning: 'claims whose allocation tolerates a taint, while a device is tainted' },
  ShadowDifferences: { unit: 'Count', meaning: 'pods with which something else happened than shadow mode decided' },
  ShadowAgreements: { unit: 'Count', meaning: 'pods that the in-tree controller deleted as shadow mode would have' },
  PodsPending: { unit: 'Gauge', meaning: 'pods that wait for their eviction' },
  PodsHeld: { unit: 'Gauge', meaning: 'of those, pods whose taints all evict no pod (rate 0, or not owned)' },
  VerdictsUnknown: { unit: 'Count', meaning: 'pods that could not be decided and stay' },
  OtherIncarnation: {
    unit: 'Count',
    meaning: 'messages about another incarnation of the cluster than its API server has, dropped',
  },
  ClustersUnderOneName: {
    unit: 'Count',
    meaning: 'heartbeats of a cluster while another cluster was heard under the same name within five minutes',
    isWatched: true,
  },
  RevisionWentBack: {
    unit: 'Count',
    meaning: 'manifests of a second round below versions that the table has, as after a restore of etcd',
    isWatched: true,
  },
  ObjectsRefused: { unit: 'Count', meaning: 'objects that are too large to be kept; pods that depend on them stay' },
  MirrorDrift: {
    unit: 'Count',
    meaning:
      'rows that differed from the API server when a pod was revalidated, or from a manifest, and were set right',
    isWatched: true,
  },
  ApiServerErrors: { unit: 'Count', meaning: 'answers of the API server that make a step retry' },
  WatcherLag: { unit: 'Milliseconds', meaning: 'age of each heartbeat of the watcher when ingest reads it' },
  ReleasesWaiting: { unit: 'Count', meaning: 'stale reservations of claims that could not be removed yet' },
  SweepRepaired: { unit: 'Count', meaning: 'evictions that the sweep had to set going again' },
} as const satisfies Record<string, MetricDefinition>;
export type MetricName = keyof typeof metrics;

/**
 * What the watcher's /metrics shows of them, under the names and with the buckets (seconds) of the in-tree controller, so that
 * its dashboards continue working (kubernetes/kubernetes, pkg/controller/devicetainteviction/metrics).
 */
export const upstreamMetrics = {
  PodsEvicted: { name: 'device_taint_eviction_controller_pod_deletions_total', type: 'counter' },
  DeletionDuration: {
    name: 'device_taint_eviction_controller_pod_deletion_duration_seconds',
    type: 'histogram',
    buckets: [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 30, 60, 120, 180, 240],
  },
} as const satisfies Partial<Record<MetricName, { name: string; type: string; buckets?: readonly number[] }>>;

/** Who writes: field manager, Event component, condition prefix. */
export const componentName = 'sluice';

/** Condition of a pod that Sluice deletes, beside DisruptionTarget: true from the instant at which the pod became due. */
export const dueCondition = `${componentName}.dev/EvictionDue` as const;
