// The watcher's metrics in Prometheus' text format: its own, and those of the in-tree controller.
import { metricMeanings, upstreamMetrics } from '../metrics.ts';
import type { Durations } from './deletions.ts';
import { isEstablished } from './kinds.ts';
import type { Observed } from './observed.ts';
import type { Watcher } from './watcher.ts';

export function metricsText({ watcher, outbox }: Observed): string {
  const kinds = watcher?.kinds ?? [];
  const perKind = (value: (kind: Watcher['kinds'][number]) => number) =>
    kinds.map((kind) => [`{kind="${kind.kind}"}`, value(kind)] as const);
  const { sent, waiting, refused } = outbox.state;
  const ready = watcher?.isReady() ? 1 : 0;
  const heartbeat = watcher?.heartbeat;
  return [
    metric('sluice_watcher_ready', 'gauge', 'all kinds are followed and the queue takes changes', [['', ready]]),
    metric('sluice_watcher_changes_sent_total', 'counter', 'changes that the ingest queue has', [['', sent]]),
    metric('sluice_watcher_changes_waiting', 'gauge', 'changes that the ingest queue does not have yet', [
      ['', waiting],
    ]),
    metric('sluice_watcher_changes_refused_total', 'counter', 'changes that SQS will never take', [['', refused]]),
    metric('sluice_watcher_last_heartbeat_seconds', 'gauge', 'when the last heartbeat was sent, Unix time', [
      ['', (heartbeat?.last ?? 0) / 1000],
    ]),
    metric('sluice_watcher_clock_offset_seconds', 'gauge', 'clock of the API server minus this one', [
      ['', (heartbeat?.clockOffset ?? 0) / 1000],
    ]),
    metric(
      'sluice_watcher_established',
      'gauge',
      'the kind is listed and watched, or not served',
      perKind((kind) => (isEstablished(kind) ? 1 : 0)),
    ),
    metric(
      'sluice_watcher_objects',
      'gauge',
      'objects that were sent and still exist',
      perKind((kind) => kind.objects),
    ),
    metric(
      'sluice_watcher_lists_total',
      'counter',
      'complete lists; more than one per hour is unusual',
      perKind((kind) => kind.lists),
    ),
    metric(
      'sluice_watcher_unreadable_total',
      'counter',
      'objects that could not be read',
      perKind((kind) => kind.unreadable),
    ),
    deletionsText(watcher?.deletions.durations),
  ].join('');
}

function metric(
  name: string,
  type: 'gauge' | 'counter' | 'histogram',
  help: string,
  values: readonly (readonly [rest: string, value: number])[],
): string {
  const lines = values.map(([rest, value]) => `${name}${rest} ${value}\n`).join('');
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines}`;
}

/** Empty before a cluster is found: an absent counter is not read as a counter reset. */
function deletionsText(durations: Durations | undefined): string {
  if (!durations) return '';
  const { PodsEvicted: total, DeletionDuration: duration } = upstreamMetrics;
  const { count, sum, atMost } = durations;
  return [
    metric(total.name, total.type, metricMeanings.PodsEvicted, [['', count]]),
    metric(duration.name, duration.type, metricMeanings.DeletionDuration, [
      ...duration.buckets.map((le, i) => [`_bucket{le="${le}"}`, atMost[i] ?? 0] as const),
      ['_bucket{le="+Inf"}', count],
      ['_sum', sum],
      ['_count', count],
    ]),
  ].join('');
}
