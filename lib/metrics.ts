// Sluice's own metrics, as functions write them and as alarms, dashboard and the reference page name them.

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
  ClaimsWithTolerations: {
    unit: 'Gauge',
    meaning: 'claims whose allocation tolerates a taint, while a device is tainted',
  },
  ShadowDifferences: { unit: 'Count', meaning: 'pods with which something else happened than shadow mode decided' },
  ShadowAgreements: { unit: 'Count', meaning: 'pods that the in-tree controller deleted as shadow mode would have' },
  PodsPending: { unit: 'Gauge', meaning: 'pods that wait for their eviction' },
  PodsHeld: {
    unit: 'Gauge',
    meaning: 'of those, pods that none of their taints may evict now (paused, rate 0, held, or not owned)',
  },
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
    meaning:
      'heartbeats of a watcher that was shown lower versions than before, and manifests of a second round below those that the table has, as after a restore of etcd',
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
