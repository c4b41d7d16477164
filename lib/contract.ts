// Names and limits that functions and infrastructure must agree on.

/** Environment variables of the functions. */
export const environmentNames = {
  /** DynamoDB table name. */
  table: 'SLUICE_TABLE',
  /** Queue URLs by stage. */
  evaluateQueueUrl: 'SLUICE_EVALUATE_QUEUE_URL',
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
export const stages = ['ingest', 'evaluate', 'evict', 'report'] as const;
export type Stage = (typeof stages)[number];

/** The stages that call API servers; an outbound cluster has a queue of its own for each. */
export const clusterStages = ['evict', 'report'] as const satisfies readonly Stage[];
export type ClusterStage = (typeof clusterStages)[number];

/** Name or URL of an outbound cluster's queue, by that of the stage's queue. */
export function outboundQueue(ofStage: string, cluster: string): string {
  return `${ofStage}-${cluster}`;
}

/** Name or URL of a cluster's own queue, by that of the evict queue: what the watcher sends, and what it is asked for. */
export function clusterQueue(ofEvict: string, name: 'ingest' | 'resend', cluster: string): string {
  return ofEvict.replace(/evict$/, `${name}-${cluster}`);
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
  evaluate: { timeout: 30, memoryMiB: 512, batchSize: 5, maxConcurrency: 50 },
  // One limiter at a time: a long run must not hold the message of another one.
  evict: { timeout: 150, memoryMiB: 512, batchSize: 1, maxConcurrency: 50 },
  report: { timeout: 30, memoryMiB: 512, batchSize: 5, maxConcurrency: 5 },
};

/** Pods of one chunk, and of the message that carries them; an invocation of evaluate takes no more of several messages at once. */
export const chunkSize = 100;

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

/** Who writes: field manager, Event component, condition prefix. */
export const componentName = 'sluice';

/** Condition of a pod that Sluice deletes, beside DisruptionTarget: true from the instant at which the pod became due. */
export const dueCondition = `${componentName}.dev/EvictionDue` as const;
