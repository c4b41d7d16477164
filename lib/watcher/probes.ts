// The HTTP endpoints for Kubernetes and Prometheus: liveness, readiness with reasons, metrics.
import { createServer } from 'node:http';
import { isEstablished } from './kinds.ts';
import { metricsText } from './metricsText.ts';
import type { Observed } from './observed.ts';

export interface Probes {
  readonly port: number;
  close(): Promise<void>;
}

/** Rejects if the port is in use. */
export async function serveProbes(port: number, answer: (path: string) => Answer): Promise<Probes> {
  const server = createServer((request, response) => {
    const { status, text, type = 'text/plain' } = answer(request.url ?? '/');
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

/** The response to one request. */
export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly type?: string;
}

/** Ready if there are no reasons against it. */
export function readiness(reasons: readonly string[]): Answer {
  return reasons.length === 0 ? { status: 200, text: 'ok\n' } : { status: 503, text: `${reasons.join('\n')}\n` };
}

export function answerTo(path: string, observed: Observed): Answer {
  switch (path.split('?')[0]) {
    case '/healthz':
      return { status: 200, text: 'ok\n' };
    case '/readyz':
      return readiness(whyNotReady(observed));
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
