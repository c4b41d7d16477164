// Connects to the cluster given by options and kubeconfig; needs no AWS.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { type ApiClient, createApiClient } from '../../adapters/kubernetes/apiClient.ts';
import { askVersion } from '../../adapters/kubernetes/askVersion.ts';
import { findCluster } from '../../adapters/kubernetes/kubeConfig.ts';
import type { Call } from '../definition.ts';
import { Failure } from '../failure.ts';
import { isSet, namespaceFlag, textFlag } from '../flags.ts';
import { homeFolder } from '../homeFolder.ts';
import { line } from '../io.ts';
import type { Picture } from './assemble.ts';

export interface OpenCluster {
  readonly client: ApiClient;
  /** Context name of the kubeconfig, for display. */
  readonly context: string;
  readonly server: string;
  /** Namespace of `-n`, else of the context, else `default`. */
  readonly namespace: string;
  /** `-A`: all namespaces. */
  readonly isEverywhere: boolean;
  readonly now: () => number;
  /** Latest picture of a process that watches the cluster; absent: every read lists the objects. */
  readonly followed?: () => Picture;
}

type Asking = Pick<Call, 'flags' | 'io'>;

/** Path of the kubeconfig; absent if neither options nor environment give one and there is no default file. */
export function kubeconfigOf({ flags, io }: Asking): string | undefined {
  const named = textFlag(flags, 'kubeconfig') ?? (io.env.KUBECONFIG || undefined);
  if (named !== undefined) return named;
  const file = path.join(homeFolder(io.env), '.kube', 'config');
  return existsSync(file) ? file : undefined;
}

/** Whether the command line itself names the cluster. */
export function isClusterNamed({ flags }: Pick<Call, 'flags'>): boolean {
  return ['kubeconfig', 'context'].some((option) => textFlag(flags, option) !== undefined);
}

export async function openCluster(call: Asking): Promise<OpenCluster> {
  const { flags, io } = call;
  const kubeconfig = kubeconfigOf(call);
  const inPod = kubeconfig === undefined && Boolean(io.env.KUBERNETES_SERVICE_HOST);
  if (kubeconfig === undefined && !inPod)
    throw new Failure('no kubeconfig found', 'specify --kubeconfig FILE or set KUBECONFIG');
  const context = textFlag(flags, 'context');
  const env = { ...io.env, ...(kubeconfig === undefined ? {} : { KUBECONFIG: kubeconfig }) };
  const say = (text: string) => line(io.err, text);
  const found = await findCluster(env, { say, ...(context === undefined ? {} : { context }) });
  if (found.kind === 'Unusable')
    throw new Failure(found.why.replace(/; [^;]*$/, ''), 'see: kubectl config get-contexts');
  const { cluster } = found;
  if (!URL.canParse(cluster.address.endpoint))
    throw new Failure(
      `${kubeconfig}: the server of context ${cluster.context} is "${cluster.address.endpoint}", which is no URL`,
      'correct it: kubectl config set-cluster NAME --server=https://HOST:PORT',
    );
  const client = createApiClient(cluster.address, cluster.credentials, cluster.agent ? { agent: cluster.agent } : {});
  return {
    client: isSet(flags, 'verbose') ? verbose(client, call) : client,
    context: cluster.context ?? 'in-cluster',
    server: cluster.address.endpoint,
    namespace: namespaceFlag(flags) ?? cluster.namespace ?? 'default',
    isEverywhere: isSet(flags, 'allNamespaces'),
    now: io.now,
  };
}

/** Like `withConnection`, but throws before the work if the API server does not answer. */
export function withCluster<T>(call: Asking, work: (cluster: OpenCluster) => Promise<T>): Promise<T> {
  return withConnection(call, async (cluster) => {
    await requireAnswer(cluster);
    return work(cluster);
  });
}

/** Asks the API server once, without retries, so that a verb fails fast when the server is down. */
export async function requireAnswer({ client, context }: OpenCluster): Promise<void> {
  const answer = await askVersion(client);
  if (answer.kind === 'Answer') return;
  const [why = '', remedy] = answer.why.split(/; (?=[^;]*$)/);
  throw new Failure(`context ${context}: ${why}`, remedy);
}

/** Opens the cluster, runs `work` and always closes the connections. */
export async function withConnection<T>(call: Asking, work: (cluster: OpenCluster) => Promise<T>): Promise<T> {
  const cluster = await openCluster(call);
  try {
    return await work(cluster);
  } finally {
    cluster.client.close();
  }
}

function verbose(client: ApiClient, { io }: Asking): ApiClient {
  return {
    ...client,
    async send(request) {
      const began = io.now();
      const answer = await client.send(request);
      const status = answer.kind === 'Answer' ? answer.status : answer.why;
      line(io.err, `${request.method} ${request.path} ${status} in ${io.now() - began} ms`);
      return answer;
    },
  };
}
