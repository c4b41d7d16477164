// The executor process: runs the stages evict and report inside an outbound cluster, with the pod's service account.
import { createApiClient } from '../adapters/kubernetes/apiClient.ts';
import { type ConfiguredCluster, findCluster } from '../adapters/kubernetes/kubeConfig.ts';
import { outboundQueue, stageLimits, environmentNames as variables } from '../contract.ts';
import { accessThrough } from '../lambda/access.ts';
import { createSqsClient } from '../lambda/awsClients.ts';
import { createEvictHandler, createReportHandler } from '../lambda/clusterHandlers.ts';
import { createDependencies } from '../lambda/dependencies.ts';
import { EnvironmentError } from '../lambda/environment.ts';
import { readHealthPort } from '../watcher/environment.ts';
import { serveProbes } from '../watcher/probes.ts';
import { longPoll, poll } from './poll.ts';
import { answerTo } from './probes.ts';

export interface ExecutorOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

/** Each evictor handles one limiter, and mostly waits for tokens and the API server. */
const evictors = 64;
const reporters = 2;

/** Milliseconds. */
const pollTimeout = (longPoll + 5) * 1000;

/** Ends after the signal is aborted. Throws if the environment or the cluster's credentials are unusable. */
export async function runExecutor({ env, signal }: ExecutorOptions): Promise<void> {
  const deps = createDependencies('executor', [
    variables.table,
    variables.clusters,
    variables.evictQueueUrl,
    variables.reportQueueUrl,
  ]);
  const healthPort = readHealthPort(env);
  if (healthPort === undefined)
    throw new EnvironmentError(`SLUICE_HEALTH_PORT is not a port: ${env.SLUICE_HEALTH_PORT}`);
  const { queueUrls, clusters } = deps.environment;
  const cluster = env[variables.outboundCluster] ?? '';
  if (clusters[cluster]?.auth.kind !== 'outbound')
    throw new EnvironmentError(
      `${variables.outboundCluster} is "${cluster}", which ${variables.clusters} does not name as outbound: take both from the stack's output ExecutorEnvironment`,
    );
  const { address, credentials, agent } = await findOrThrow(env);
  const client = createApiClient(address, credentials, agent ? { agent } : {});
  const access = accessThrough(client, deps);
  // Never handle a message of another cluster, whichever queue it comes from.
  const withAccess = { ...deps, accessTo: (name: string) => (name === cluster ? access : undefined) };
  const sqs = createSqsClient(pollTimeout);
  const region = await sqs.config.region();
  const common = { client: sqs, region, log: deps.log, now: deps.clock.now, signal };
  const stage = (name: 'evict' | 'report') => ({
    ...common,
    queueUrl: outboundQueue(queueUrls[name], cluster),
    batchSize: stageLimits[name].batchSize,
    state: { name: outboundQueue(name, cluster), answered: false, problem: undefined },
  });
  const [evictQueue, reportQueue] = [stage('evict'), stage('report')];
  const probes =
    healthPort > 0
      ? await serveProbes(healthPort, (path) => answerTo(path, [evictQueue.state, reportQueue.state]))
      : undefined;
  const [evict, report] = [createEvictHandler(withAccess), createReportHandler(withAccess)];
  deps.log.info('evicting from within', { cluster, endpoint: address.endpoint });
  await Promise.all([
    poll({ ...evictQueue, concurrency: evictors, handler: evict }),
    poll({ ...reportQueue, concurrency: reporters, handler: report }),
  ]);
  await probes?.close();
  client.close();
  sqs.destroy();
}

async function findOrThrow(env: ExecutorOptions['env']): Promise<ConfiguredCluster> {
  const found = await findCluster(env);
  if (found.kind === 'Found') return found.cluster;
  throw new EnvironmentError(found.why);
}
