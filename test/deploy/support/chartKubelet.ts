// Runs the watcher of the chart as a kubelet would: what the Deployment says, under its service account and its IAM role.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import { kubeconfigYaml } from '../../../lib/local/cluster/kubeconfig.ts';
import { isMap, type JsonMap, listAt, textAt } from '../../../lib/local/cluster/object.ts';
import { freePort } from '../../../lib/local/freePort.ts';
import { startWatcherProcess, type WatcherProcess } from '../../../lib/local/watcherProcess.ts';
import type { ControlPlane } from '../../cluster/support/controlPlane.ts';

export interface ChartKubelet {
  /** Names of the images that were started, in order. */
  readonly started: readonly string[];
  readonly log: readonly string[];
  stop(): Promise<void>;
}

const place = '/apis/apps/v1/namespaces/sluice/deployments/sluice-watcher';
const account = 'sluice-watcher';

/** Follows the Deployment: another image replaces the process, and without a Deployment there is none. */
export function startChartKubelet(of: {
  readonly controlPlane: ControlPlane;
  readonly folder: string;
  /** Bundles of the watcher by image. */
  readonly programs: ReadonlyMap<string, string>;
  readonly roleOf: (serviceAccount: string) => string | undefined;
  readonly environment: Readonly<Record<string, string>>;
}): ChartKubelet {
  const started: string[] = [];
  const log: string[] = [];
  let running: { readonly image: string; readonly process: WatcherProcess } | undefined;
  let isStopped = false;
  const { client, url, ca } = of.controlPlane;
  const look = async () => {
    const { status, body } = await client.call('GET', place);
    const [container] = status === 200 ? listAt(body, 'spec', 'template', 'spec', 'containers').filter(isMap) : [];
    const image = container && textAt(container, 'image');
    if (image === running?.image) return;
    await running?.process.stop();
    running = container && image ? { image, process: await start(container, image) } : undefined;
    if (image) started.push(image);
  };
  const start = async (container: JsonMap, image: string) => {
    const token = await client.call('POST', `/api/v1/namespaces/sluice/serviceaccounts/${account}/token`, {
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
    });
    const kubeconfig = path.join(of.folder, 'watcher-kubeconfig');
    const access = { url, ca, token: textAt(token.body, 'status', 'token') ?? '' };
    writeFileSync(kubeconfig, kubeconfigYaml(access), { mode: 0o600 });
    const variables = listAt(container, 'env').filter(isMap);
    const told = Object.fromEntries(variables.map((one) => [textAt(one, 'name') ?? '', textAt(one, 'value') ?? '']));
    return startWatcherProcess({
      program: of.programs.get(image) ?? `no program of ${image}`,
      kubeconfig,
      queueUrl: told.SLUICE_INGEST_QUEUE_URL ?? '',
      clientEnvironment: { ...told, ...(await roleEnvironment()), SLUICE_HEALTH_PORT: String(await freePort()) },
      onLog: (line) => log.push(line),
      onExit: (status) => log.push(`ended with ${status}`),
    });
  };
  /** What the agent of Pod Identity gives a pod. */
  const roleEnvironment = async () => {
    const RoleArn = of.roleOf(`sluice/${account}`);
    const { AWS_ENDPOINT_URL: endpoint = '', AWS_REGION: region = '' } = of.environment;
    const sts = new STSClient({ endpoint, region, credentials: { accessKeyId: 'test', secretAccessKey: 'test' } });
    const { Credentials } = await sts.send(new AssumeRoleCommand({ RoleArn, RoleSessionName: account }));
    return {
      AWS_ENDPOINT_URL: endpoint,
      AWS_REGION: region,
      AWS_ACCESS_KEY_ID: Credentials?.AccessKeyId ?? '',
      AWS_SECRET_ACCESS_KEY: Credentials?.SecretAccessKey ?? '',
      AWS_SESSION_TOKEN: Credentials?.SessionToken ?? '',
    };
  };
  const work = (async () => {
    while (!isStopped) {
      await look().catch((error: unknown) => log.push(String(error)));
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
  })();
  return {
    started,
    log,
    async stop() {
      isStopped = true;
      await work;
      await running?.process.stop();
    },
  };
}
