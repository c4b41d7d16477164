// Reads a kubeconfig for local functions: server, CA, and credentials in a file that is renewed.
import { renameSync, writeFileSync } from 'node:fs';
import type { RequestOptions } from 'node:https';
import path from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import { type PluginWatch, watchPlugins } from '../adapters/kubernetes/execPlugin.ts';
import type { ClusterConnection } from '../contract.ts';
import { whyUnreadable } from '../model/whyUnreadable.ts';
import { temporaryFolder } from './temporaryFolder.ts';

/** Milliseconds; tokens of exec plugins are valid for at least 15 minutes. */
const renewEvery = 60_000;

export interface LocalCluster {
  readonly kubeconfig: string;
  readonly connection: ClusterConnection;
  stop(): void;
}

/** Throws with a remedy if the file is missing, invalid or has a plain HTTP server. */
export async function openKubeconfig(file: string, watch: PluginWatch = {}): Promise<LocalCluster> {
  const config = watchPlugins(new KubeConfig(), watch);
  try {
    config.loadFromFile(file);
  } catch (error) {
    throw new Error(
      `kubeconfig ${file} cannot be read: ${whyUnreadable(error)}; check the path given with --kubeconfig`,
    );
  }
  const cluster = config.getCurrentCluster();
  if (!cluster)
    throw new Error(
      `kubeconfig ${file}: its current context names no cluster; set one with "kubectl config use-context"`,
    );
  if (!cluster.server.startsWith('https://'))
    throw new Error(`kubeconfig ${file}: server ${cluster.server} is not https`);
  const folder = temporaryFolder('sluice-');
  const credentials = path.join(folder.path, 'credentials.json');
  const { ca } = await renew(config, credentials).catch((error: unknown) => {
    folder.remove();
    throw new Error(
      `kubeconfig ${file}: no credentials: ${whyUnreadable(error)}; try it: kubectl --kubeconfig ${file} get nodes`,
    );
  });
  const timer = setInterval(() => renew(config, credentials).catch(() => {}), renewEvery);
  timer.unref();
  return {
    kubeconfig: file,
    connection: {
      endpoint: cluster.server,
      ...(ca ? { certificateAuthority: ca } : {}),
      auth: { kind: 'file', path: credentials },
      native: 'shadow',
    },
    stop() {
      clearInterval(timer);
      folder.remove();
    },
  };
}

/** client-node resolves inline data, files and exec plugins. */
async function renew(config: KubeConfig, file: string): Promise<{ readonly ca?: string }> {
  const options: RequestOptions = { headers: {} };
  await config.applyToHTTPSOptions(options);
  const headers = options.headers as Record<string, string>;
  const authorization = headers.Authorization ?? headers.authorization ?? '';
  const token = /^Bearer (.+)$/.exec(authorization)?.[1];
  const agent =
    (options.agent as { options?: { ca?: unknown; cert?: unknown; key?: unknown } } | undefined)?.options ?? {};
  const [ca, cert, key] = [options.ca ?? agent.ca, options.cert ?? agent.cert, options.key ?? agent.key].map(textOf);
  const content = JSON.stringify({ token, clientCertificate: cert, clientKey: key });
  writeFileSync(`${file}.new`, content, { mode: 0o600 });
  renameSync(`${file}.new`, file);
  return ca === undefined ? {} : { ca };
}

function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  return Buffer.isBuffer(value) ? value.toString('utf8') : String(value);
}
