// What Kubernetes and Prometheus may ask the watcher: alive, ready and if not why, and a few figures.
import { createServer } from 'node:http';
import { isEstablished } from './kinds.ts';
import type { Outbox } from './outbox.ts';
import type { Watcher } from './watcher.ts';

/** What there is to tell; `watcher` is absent until a cluster has been found, and `problem` says why. */
export interface Observed {
  readonly outbox: Outbox;
  watcher: Watcher | undefined;
  problem: string | undefined;
}

export interface Probes {
  readonly port: number;
  close(): Promise<void>;
}

/** Rejects where the port is taken. */
export async function serveProbes(port: number, observed: Observed): Promise<Probes> {
  const server = createServer((request, response) => {
    const { status, text, type = 'text/plain' } = answerTo(request.url ?? '/', observed);
    response.writeHead(status, { 'content-type': type }).end(text);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, () => resolve());
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : port,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly type?: string;
}

export function answerTo(path: string, observed: Observed): Answer {
  switch (path.split('?')[0]) {
    case '/healthz':
      return { status: 200, text: 'ok\n' };
    case '/readyz': {
      const reasons = whyNotReady(observed);
      return reasons.length === 0 ? { status: 200, text: 'ok\n' } : { status: 503, text: `${reasons.join('\n')}\n` };
    }
    case '/metrics':
      return { status: 200, text: metricsText(observed), type: 'text/plain; version=0.0.4' };
    default:
      return { status: 404, text: 'there are /healthz, /readyz and /metrics\n' };
  }
}

function whyNotReady({ watcher, outbox, problem }: Observed): readonly string[] {
  if (!watcher) return [problem ?? 'starting'];
  const kinds = watcher.kinds
    .filter((kind) => !isEstablished(kind))
    .map((kind) => `${kind.kind}: ${kind.problem ?? kind.phase.toLowerCase()}`);
  return outbox.state.problem ? [...kinds, outbox.state.problem] : kinds;
}

function metricsText({ watcher, outbox }: Observed): string {
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
  ].join('');
}

function metric(
  name: string,
  type: 'gauge' | 'counter',
  help: string,
  values: readonly (readonly [labels: string, value: number])[],
): string {
  const lines = values.map(([labels, value]) => `${name}${labels} ${value}\n`).join('');
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines}`;
}
