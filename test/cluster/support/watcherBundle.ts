// The watcher as the image runs it: the bundled file, a service account's token, probes over HTTP.
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { localCredentials, localRegion } from '../../../lib/local/aws/account.ts';
import { kubeconfigYaml } from '../../../lib/local/cluster/kubeconfig.ts';
import { freePort } from '../../../lib/local/freePort.ts';
import type { ControlPlane } from './controlPlane.ts';
import { waitFor } from './waitFor.ts';

export interface WatcherBundle {
  get(path: string): Promise<{ readonly status: number; readonly text: string }>;
  untilReady(): Promise<void>;
  /** Its log, or what /readyz answers. */
  untilItSays(text: RegExp): Promise<void>;
  stop(): Promise<void>;
}

export async function startWatcherBundle(of: {
  readonly controlPlane: ControlPlane;
  readonly bundle: string;
  readonly token: string;
  readonly queueUrl: string;
  readonly sqsEndpoint: string;
}): Promise<WatcherBundle> {
  const { url, ca, folder } = of.controlPlane;
  const kubeconfig = path.join(folder, 'watcher-kubeconfig');
  writeFileSync(kubeconfig, kubeconfigYaml({ url, ca, token: of.token }), { mode: 0o600 });
  const port = await freePort();
  const child = spawn(process.execPath, [of.bundle], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      KUBECONFIG: kubeconfig,
      SLUICE_INGEST_QUEUE_URL: of.queueUrl,
      SLUICE_HEALTH_PORT: String(port),
      AWS_REGION: localRegion,
      AWS_ACCESS_KEY_ID: localCredentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: localCredentials.secretAccessKey,
      AWS_ENDPOINT_URL_SQS: of.sqsEndpoint,
    },
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  const gone = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const get = async (where: string) => {
    const answer = await fetch(`http://127.0.0.1:${port}${where}`).catch(() => undefined);
    return { status: answer?.status ?? 0, text: (await answer?.text()) ?? '' };
  };
  const failed = (error: unknown) => {
    throw new Error(`${error}; the watcher said:\n${said.slice(-2000)}`);
  };
  return {
    get,
    async untilReady() {
      await waitFor(async () => ((await get('/readyz')).status === 200 ? true : undefined), 30_000).catch(failed);
    },
    async untilItSays(text) {
      const found = async () => text.test(said) || text.test((await get('/readyz')).text);
      await waitFor(async () => ((await found()) ? true : undefined), 30_000).catch(failed);
    },
    async stop() {
      child.kill('SIGTERM');
      await gone;
    },
  };
}
