// The executor as the image runs it: environment of the stack, a service account's token, probes over HTTP.
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { localCredentials, localRegion } from '../../../lib/local/aws/account.ts';
import { kubeconfigYaml } from '../../../lib/local/cluster/kubeconfig.ts';
import { freePort } from '../../../lib/local/freePort.ts';
import type { ControlPlane } from './controlPlane.ts';
import { waitFor } from './waitFor.ts';

const program = path.join(import.meta.dirname, '..', '..', '..', 'bin', 'executor.ts');

export interface ExecutorProcess {
  get(path: string): Promise<{ readonly status: number; readonly text: string }>;
  untilReady(): Promise<void>;
  untilItSays(text: RegExp): Promise<void>;
  /** Throws the error with what the process said. */
  failed(error: unknown): never;
  /** With SIGTERM; its exit status. */
  stop(): Promise<number | null>;
}

export async function startExecutorProcess(of: {
  readonly controlPlane: Pick<ControlPlane, 'url' | 'ca' | 'folder'>;
  readonly token: string;
  readonly cluster: string;
  readonly urls: { readonly evict: string; readonly report: string };
  readonly tableName: string;
  /** Of DynamoDB. */
  readonly endpoint: string;
  readonly sqsEndpoint: string;
}): Promise<ExecutorProcess> {
  const { url, ca, folder } = of.controlPlane;
  const kubeconfig = path.join(folder, 'executor-kubeconfig');
  writeFileSync(kubeconfig, kubeconfigYaml({ url, ca, token: of.token }), { mode: 0o600 });
  const port = await freePort();
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: {
      KUBECONFIG: kubeconfig,
      SLUICE_EXIT_WITH_PARENT: '1',
      SLUICE_HEALTH_PORT: String(port),
      SLUICE_CLUSTER: of.cluster,
      SLUICE_CLUSTERS: JSON.stringify({ [of.cluster]: { endpoint: url, auth: { kind: 'outbound' }, native: 'own' } }),
      SLUICE_TABLE: of.tableName,
      SLUICE_EVICT_QUEUE_URL: of.urls.evict,
      SLUICE_REPORT_QUEUE_URL: of.urls.report,
      SLUICE_SETTINGS: '{"workloadClaims":false,"projectRules":false}',
      AWS_REGION: localRegion,
      AWS_ACCESS_KEY_ID: localCredentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: localCredentials.secretAccessKey,
      AWS_ENDPOINT_URL_SQS: of.sqsEndpoint,
      AWS_ENDPOINT_URL_DYNAMODB: of.endpoint,
    },
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  const gone = new Promise<number | null>((resolve) => child.once('close', (status) => resolve(status)));
  const get = async (where: string) => {
    const answer = await fetch(`http://127.0.0.1:${port}${where}`).catch(() => undefined);
    return { status: answer?.status ?? 0, text: (await answer?.text()) ?? '' };
  };
  const failed = (error: unknown): never => {
    throw new Error(`${error}; the executor said:\n${said.slice(-3000)}`);
  };
  return {
    get,
    failed,
    async untilReady() {
      await waitFor(async () => ((await get('/readyz')).status === 200 ? true : undefined), 30_000).catch(failed);
    },
    async untilItSays(text) {
      await waitFor(async () => (text.test(said) ? true : undefined), 30_000).catch(failed);
    },
    async stop() {
      child.kill('SIGTERM');
      return gone;
    },
  };
}
