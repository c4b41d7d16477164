// Address and credentials of the API server, from a kubeconfig file or from the pod's service account.
import { existsSync } from 'node:fs';
import type { Agent, RequestOptions } from 'node:https';
import path from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import { whyUnreadable } from '../../model/whyUnreadable.ts';
import type { CredentialsSource, FoundCredentials } from './credentials.ts';
import type { ApiServerAddress } from './exchange.ts';
import { type PluginWatch, watchPlugins } from './execPlugin.ts';

export interface ConfiguredCluster {
  /** Name of the kubeconfig context; absent in a pod. */
  readonly context?: string;
  /** Namespace of the context. */
  readonly namespace?: string;
  readonly address: ApiServerAddress;
  readonly credentials: CredentialsSource;
  /** Only if the kubeconfig sets a proxy. */
  readonly agent?: Agent;
}

export type FoundCluster =
  | { readonly kind: 'Found'; readonly cluster: ConfiguredCluster }
  | { readonly kind: 'Unusable'; readonly why: string };

export type KubeEnvironment = Readonly<Record<string, string | undefined>>;

/**
 * client-node resolves all forms of a kubeconfig: inline data, files, exec plugins, OIDC, rotating in-cluster tokens. Nothing else of it is
 * used, and functions do not load it (see apiClient.ts).
 */
export async function findCluster(
  env: KubeEnvironment,
  wanted: PluginWatch & { readonly context?: string } = {},
): Promise<FoundCluster> {
  let config: KubeConfig;
  try {
    config = inContext(watchPlugins(loadConfig(env), wanted), wanted.context);
  } catch (error) {
    return { kind: 'Unusable', why: `${sourceOf(env)} cannot be used: ${whyUnreadable(error)}; ${remedy}` };
  }
  const cluster = config.getCurrentCluster();
  if (!cluster?.server) {
    return { kind: 'Unusable', why: `${sourceOf(env)}: its current context names no cluster; ${remedy}` };
  }
  // For such a server the client would report wrong credentials.
  if (cluster.server.startsWith('http:') && !cluster.skipTLSVerify)
    return { kind: 'Unusable', why: `${sourceOf(env)}: server ${cluster.server} is not https; ${remedy}` };
  try {
    const options = await resolve(config);
    const certificateAuthority = textOf(options.ca);
    const address = {
      endpoint: cluster.server,
      ...(certificateAuthority ? { certificateAuthority } : {}),
      ...(cluster.skipTLSVerify ? { skipTlsVerify: true } : {}),
      ...(cluster.tlsServerName ? { tlsServerName: cluster.tlsServerName } : {}),
    };
    const proxy = cluster.proxyUrl && options.agent ? { agent: options.agent as Agent } : {};
    const { name, namespace } = config.getContextObject(config.getCurrentContext()) ?? {};
    const context = { ...(name ? { context: name } : {}), ...(namespace ? { namespace } : {}) };
    // Files may change meanwhile: credentials of another context or server must not be sent to this one.
    const reload = () => onServer(inContext(watchPlugins(loadConfig(env)), name), cluster.server);
    const credentials = credentialsOf(config, { load: reload, source: sourceOf(env) });
    return { kind: 'Found', cluster: { ...context, address, credentials, ...proxy } };
  } catch (error) {
    return { kind: 'Unusable', why: `${sourceOf(env)}: ${whyNoCredentials(error)}; ${remedy}` };
  }
}

const remedy = 'set KUBECONFIG to a readable file with a current context, or run in a pod with a service account';

function sourceOf(env: KubeEnvironment): string {
  if (env.KUBECONFIG) return `kubeconfig ${env.KUBECONFIG}`;
  return env.KUBERNETES_SERVICE_HOST ? 'the in-cluster configuration' : 'KUBECONFIG (not set, and not in a pod)';
}

function loadConfig(env: KubeEnvironment): KubeConfig {
  const config = new KubeConfig();
  const files = (env.KUBECONFIG ?? '').split(path.delimiter).filter((file) => file !== '');
  // As kubectl does: a file of a list may be missing, but not all of them.
  const [first, ...others] =
    files.length > 1 && files.some((one) => existsSync(one)) ? files.filter((one) => existsSync(one)) : files;
  if (first !== undefined) {
    config.loadFromFile(first);
    for (const file of others) config.mergeConfig(fileConfig(file), true);
  } else if (env.KUBERNETES_SERVICE_HOST) config.loadFromCluster();
  else throw new Error('it names no cluster');
  return config;
}

function fileConfig(file: string): KubeConfig {
  const config = new KubeConfig();
  config.loadFromFile(file);
  return config;
}

function inContext(config: KubeConfig, context: string | undefined): KubeConfig {
  if (context === undefined) return config;
  if (!config.getContextObject(context)) {
    const known = config.getContexts().map(({ name }) => name);
    throw new Error(`it has no context ${context}, only ${known.join(', ') || 'none'}`);
  }
  config.setCurrentContext(context);
  return config;
}

function onServer(config: KubeConfig, server: string): KubeConfig {
  const now = config.getCurrentCluster()?.server;
  if (now !== server) throw new Error(`its server is ${now ?? 'none'} now, and was ${server}: start again`);
  return config;
}

/** Reloads everything after a 401: a file may have changed, or a token expired. */
function credentialsOf(
  first: KubeConfig,
  { load, source }: { readonly load: () => KubeConfig; readonly source: string },
): CredentialsSource {
  let config = first;
  return {
    async get(renew): Promise<FoundCredentials> {
      try {
        if (renew) config = load();
        const { headers, cert, key, auth } = await resolve(config);
        const [clientCertificate, clientKey] = [textOf(cert), textOf(key)];
        const basic = auth ? { authorization: `Basic ${Buffer.from(auth).toString('base64')}` } : {};
        return {
          kind: 'Found',
          credentials: {
            headers: { ...lowerCased(headers), ...basic },
            ...(clientCertificate && clientKey ? { clientCertificate, clientKey } : {}),
          },
        };
      } catch (error) {
        return { kind: 'Unavailable', why: `${source}: ${whyNoCredentials(error)}; ${remedy}` };
      }
    },
  };
}

async function resolve(config: KubeConfig): Promise<RequestOptions> {
  const options: RequestOptions = { headers: {} };
  await config.applyToHTTPSOptions(options);
  return options;
}

function lowerCased(headers: RequestOptions['headers']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), `${value}`.trim()]),
  );
}

function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  return Buffer.isBuffer(value) ? value.toString('utf8') : String(value);
}

/** A kubeconfig may name files of certificates, keys and tokens. */
function whyNoCredentials(error: unknown): string {
  const { path: named, syscall = '' }: NodeJS.ErrnoException = error instanceof Error ? error : new Error();
  const why = whyUnreadable(error);
  if (named === undefined) return `no credentials: ${why}`;
  if (syscall.startsWith('spawn')) return `no credentials: its command ${named} cannot be started: ${why}`;
  return `its file ${named} cannot be used: ${why}`;
}
