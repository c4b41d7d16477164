// Sluice's own metrics, as functions write them and as alarms, dashboard and the reference page name them.

/** What a metric is counted in; a Gauge is a count that is not summed. */
export interface MetricDefinition {
  readonly unit: 'Count' | 'Milliseconds' | 'Gauge';
  /** An alarm watches it over all clusters: it is written without a dimension as well. CloudWatch charges by the alarm. */
  readonly isWatched?: true;
}

/** EMF metrics: dimension `cluster` on all of them (never a taint or a pod: cost). A count or a gauge of zero is not written. */
export const metricsNamespace = 'Sluice';
export const metrics = {
  ChangesApplied: { unit: 'Count' },
  ChangesStale: { unit: 'Count' },
  MessagesPoison: { unit: 'Count', isWatched: true },
  PodsListed: { unit: 'Count' },
  PodsEvicted: { unit: 'Count' },
  DeletionDuration: { unit: 'Milliseconds' },
  EvictionsCancelled: { unit: 'Count' },
  EvictionsRefused: { unit: 'Count', isWatched: true },
  TokensDropped: { unit: 'Count', isWatched: true },
  LeasesTakenOver: { unit: 'Count', isWatched: true },
  IntentsInterrupted: { unit: 'Count', isWatched: true },
  ObjectsOutstanding: { unit: 'Count', isWatched: true },
  PaceError: { unit: 'Milliseconds' },
  FirstDeleteLatency: { unit: 'Milliseconds' },
  Rules: { unit: 'Gauge' },
  TaintedDevices: { unit: 'Gauge' },
  AllocatedTaintedDevices: { unit: 'Gauge' },
  ClaimsWithTolerations: { unit: 'Gauge' },
  ShadowDifferences: { unit: 'Count' },
  ShadowAgreements: { unit: 'Count' },
  PodsPending: { unit: 'Gauge' },
  PodsHeld: { unit: 'Gauge' },
  VerdictsUnknown: { unit: 'Count' },
  OtherIncarnation: { unit: 'Count' },
  ClustersUnderOneName: { unit: 'Count', isWatched: true },
  RevisionWentBack: { unit: 'Count', isWatched: true },
  ObjectsRefused: { unit: 'Count' },
  MirrorDrift: { unit: 'Count', isWatched: true },
  ApiServerErrors: { unit: 'Count' },
  WatcherLag: { unit: 'Milliseconds' },
  ReleasesWaiting: { unit: 'Count' },
  SweepRepaired: { unit: 'Count' },
} as const satisfies Record<string, MetricDefinition>;
export type MetricName = keyof typeof metrics;

/** What they mean, apart from their units: functions load the units only. */
export const metricMeanings: Readonly<Record<MetricName, string>> = {
  ChangesApplied: 'changes of the cluster stored by ingest',
  ChangesStale: 'changes older than what is stored, dropped',
  MessagesPoison: 'messages that cannot be parsed: logged, counted, acknowledged',
  PodsListed: 'pods found to be evicted, each once',
  PodsEvicted: 'pods deleted',
  DeletionDuration: 'DELETE answered minus the instant at which the pod became due',
  EvictionsCancelled: 'pending evictions dropped because the reason went away',
  EvictionsRefused: 'deletes, patches or reads that the API server forbids (403)',
  TokensDropped: 'tokens that were taken and became too old before they could be used',
  LeasesTakenOver: 'leases of limiters that ran out because their holder had not ended them: it crashed, or timed out',
  IntentsInterrupted: 'looks at evictions that have been open for more than half a minute',
  ObjectsOutstanding: 'requests for objects that the watcher was asked for five times before and has not sent',
  PaceError: 'DELETE answered minus the time of its token',
  FirstDeleteLatency: 'DELETE answered minus the instant at which the pod became due, where a token was free',
  Rules: 'rules in the cluster, while a device is tainted',
  TaintedDevices: 'published devices with any taint',
  AllocatedTaintedDevices: 'tainted devices that a claim holds',
  ClaimsWithTolerations: 'claims whose allocation tolerates a taint, while a device is tainted',
  ShadowDifferences: 'pods with which something else happened than shadow mode decided',
  ShadowAgreements: 'pods that the in-tree controller deleted as shadow mode would have',
  PodsPending: 'pods that wait for their eviction',
  PodsHeld: 'of those, pods that none of their taints may evict now (paused, rate 0, held, or not owned)',
  VerdictsUnknown: 'pods that could not be decided and stay',
  OtherIncarnation: 'messages about another incarnation of the cluster than its API server has, dropped',
  ClustersUnderOneName:
    'heartbeats of a cluster while another cluster was heard under the same name within five minutes',
  RevisionWentBack:
    'heartbeats of a watcher that was shown lower versions than before, and manifests of a second round below those that the table has, as after a restore of etcd',
  ObjectsRefused: 'objects that are too large to be kept; pods that depend on them stay',
  MirrorDrift:
    'rows that differed from the API server when a pod was revalidated, or from a manifest, and were set right',
  ApiServerErrors: 'answers of the API server that make a step retry',
  WatcherLag: 'age of each heartbeat of the watcher when ingest reads it',
  ReleasesWaiting: 'stale reservations of claims that could not be removed yet',
  SweepRepaired: 'evictions that the sweep had to set going again',
};

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
