// The watcher process: finds the cluster, follows it, and drains the outbox at the end.
import { SQSClient } from '@aws-sdk/client-sqs';
import { awsTimeouts } from '../adapters/awsTimeouts.ts';
import { createApiClient } from '../adapters/kubernetes/apiClient.ts';
import { type ConfiguredCluster, findCluster } from '../adapters/kubernetes/kubeConfig.ts';
import type { Clock, Log } from '../ports.ts';
import type { WatcherEnvironment } from './environment.ts';
import { followCluster } from './followCluster.ts';
import type { Observed } from './observed.ts';
import { createOutbox } from './outbox.ts';
import { backoff, createComplaint, pause } from './pauses.ts';
import { answerTo, serveProbes } from './probes.ts';
import type { Watcher } from './watcher.ts';

export interface RunOptions {
  readonly environment: WatcherEnvironment;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** Time to send pending changes after SIGTERM. */
const drainTimeout = 5000;

/** Ends after the signal is aborted. */
export async function runWatcher(options: RunOptions): Promise<void> {
  const { environment, clock, log, signal } = options;
  const queue = new SQSClient({
    region: environment.region,
    maxAttempts: 2,
    // The long poll for requests takes up to 20 s.
    requestHandler: awsTimeouts(30_000),
    // Otherwise the client sends to the host in the queue's URL, not to the configured endpoint.
    useQueueUrlAsEndpoint: false,
  });
  const outbox = createOutbox({ client: queue, queueUrl: environment.queueUrl, clock, log });
  const observed: Observed = { outbox, watcher: undefined, problem: undefined };
  const { healthPort } = environment;
  const probes = healthPort > 0 ? await serveProbes(healthPort, (path) => answerTo(path, observed)) : undefined;
  const cluster = await waitForCluster(options, observed);
  if (cluster) {
    const { address, credentials, agent } = cluster;
    const client = createApiClient(address, credentials, agent ? { agent } : {});
    log.info('following the cluster', { endpoint: address.endpoint, queueUrl: environment.queueUrl });
    const requests = { client: queue, queueUrl: environment.resendQueueUrl };
    const onWatcher = (watcher: Watcher) => {
      observed.watcher = watcher;
    };
    await followCluster({ client, outbox, clock, log, signal, requests, probes: environment.probesOwner, onWatcher });
    client.close();
    await outbox.drained(AbortSignal.timeout(drainTimeout));
    if (outbox.state.waiting > 0) log.warn('the queue did not take everything in time; the next start lists again');
  }
  await probes?.close();
  queue.destroy();
}

/** Retries: a missing or broken kubeconfig may be a mounted secret or a file still being written. */
async function waitForCluster(options: RunOptions, observed: Observed): Promise<ConfiguredCluster | undefined> {
  const { env, clock, log, signal } = options;
  const complaint = createComplaint(log, clock);
  for (let failures = 1; !signal.aborted; failures++) {
    const found = await findCluster(env);
    if (found.kind === 'Found') return found.cluster;
    observed.problem = found.why;
    complaint.say(found.why);
    await pause(signal, Math.max(1000, backoff(failures)));
  }
  return undefined;
}
