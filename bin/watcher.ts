// The watcher's process: reads the environment, follows the cluster, answers probes, ends on SIGTERM.
import { createServer } from 'node:http';
import { KubeConfig } from '@kubernetes/client-node';
import { systemClock } from '../lib/adapters/clock.ts';
import { createSqsClient } from '../lib/lambda/awsClients.ts';
import { createApiReader } from '../lib/watcher/apiReader.ts';
import { createSender, type Sender } from '../lib/watcher/sender.ts';
import { startWatcher, type Watcher } from '../lib/watcher/watcher.ts';

const log = {
  info: (message: string, fields: object = {}) => console.log(JSON.stringify({ level: 'INFO', message, ...fields })),
  warn: (message: string, fields: object = {}) => console.log(JSON.stringify({ level: 'WARN', message, ...fields })),
  error: (message: string, fields: object = {}) =>
    console.error(JSON.stringify({ level: 'ERROR', message, ...fields })),
};

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}

function loadConfig(): KubeConfig {
  const config = new KubeConfig();
  const file = process.env.KUBECONFIG;
  try {
    if (file) config.loadFromFile(file);
    else if (process.env.KUBERNETES_SERVICE_HOST) config.loadFromCluster();
    else fail('no cluster to watch: set KUBECONFIG to a file, or run in a pod');
  } catch (error) {
    fail(`kubeconfig ${file ?? '(in cluster)'} cannot be used: ${error instanceof Error ? error.message : error}`);
  }
  if (!config.getCurrentCluster()) fail(`kubeconfig ${file}: its current context names no cluster`);
  return config;
}

/** Liveness is being able to answer; readiness is being complete. */
function serveProbes(port: number, watcher: Watcher, sender: Sender): void {
  createServer((request, response) => {
    const ok = request.url === '/healthz' || (request.url === '/readyz' && watcher.isReady());
    if (request.url === '/metrics') {
      response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' }).end(metricsText(watcher, sender));
      return;
    }
    response.writeHead(ok ? 200 : 503).end(ok ? 'ok\n' : 'not ready\n');
  }).listen(port);
}

function metricsText(watcher: Watcher, sender: Sender): string {
  const lines = [
    '# TYPE sluice_watcher_changes_sent_total counter',
    `sluice_watcher_changes_sent_total ${sender.sent()}`,
    '# TYPE sluice_watcher_changes_waiting gauge',
    `sluice_watcher_changes_waiting ${sender.waiting()}`,
    '# TYPE sluice_watcher_established gauge',
    ...watcher.kinds.map((state) => `sluice_watcher_established{kind="${state.kind}"} ${state.established ? 1 : 0}`),
    '# TYPE sluice_watcher_objects gauge',
    ...watcher.kinds.map((state) => `sluice_watcher_objects{kind="${state.kind}"} ${state.objects}`),
  ];
  return `${lines.join('\n')}\n`;
}

const queueUrl =
  process.env.SLUICE_INGEST_QUEUE_URL ?? fail('SLUICE_INGEST_QUEUE_URL is not set: the stack prints it as an output');
const abort = new AbortController();
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => abort.abort());
// A local run holds this process by a pipe; when that closes its parent is gone.
if (process.env.SLUICE_EXIT_WITH_PARENT === '1') process.stdin.on('end', () => process.exit(0)).resume();

const deps = { clock: systemClock, log, signal: abort.signal };
const sender = createSender({ ...deps, client: createSqsClient(), queueUrl });
const watcher = startWatcher({ ...deps, reader: createApiReader(loadConfig()), sink: sender });
const port = Number(process.env.SLUICE_HEALTH_PORT ?? 0);
if (port > 0) serveProbes(port, watcher, sender);
await watcher.done;
process.exit(0);
