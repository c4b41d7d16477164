// Starts a simulated Kubernetes cluster: the API over TLS on a loopback address, its store, and the claim controller.
import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:https';
import type { AccessOptions, User } from './access.ts';
import type { ApiCall, CallObserver } from './calls.ts';
import { selfSignedCertificate } from './certificate.ts';
import { startClaimController } from './claimController.ts';
import { createFaults, type Faults } from './faults.ts';
import { kubeconfigYaml } from './kubeconfig.ts';
import type { JsonMap, KubeObject } from './object.ts';
import { builtInResources, type ResourceType } from './resources.ts';
import { seed } from './seed.ts';
import { apiServer, type ServerDeps } from './server.ts';
import { createStore, type Store } from './store.ts';

export interface ClusterOptions {
  /** Tried first; 127.0.0.1 where it cannot be bound. Default 127.0.0.2, because some emulators of AWS Lambda redirect 127.0.0.1. */
  readonly host?: string;
  readonly port?: number;
  /** By token, besides the administrator whose token the cluster returns. */
  readonly users?: ReadonlyMap<string, User>;
  readonly authorize?: AccessOptions['authorize'];
  /** Custom resources, served beside the built-in ones. */
  readonly resources?: readonly ResourceType[];
  /** Milliseconds; 60,000 by default, as on a real API server. */
  readonly bookmarkInterval?: number;
  /** Changes kept per resource for watches that resume. */
  readonly historyLimit?: number;
  /** Epoch milliseconds for everything that is stamped. */
  readonly now?: () => number;
  /** Frees claims of pods that are gone; on by default. */
  readonly claimController?: boolean;
  /** The newest calls kept in `calls`; 100,000 by default. */
  readonly keptCalls?: number;
}

export interface Cluster {
  readonly url: string;
  /** PEM of the server's self-signed certificate. */
  readonly ca: string;
  /** Bearer token of the administrator. */
  readonly token: string;
  readonly kubeconfigYaml: string;
  readonly store: Store;
  readonly resources: readonly ResourceType[];
  readonly faults: Faults;
  /** Every answered request, oldest first. */
  readonly calls: readonly ApiCall[];
  /** Calls the observer at every answer; returns what stops that. */
  observe(observer: CallObserver): () => void;
  /** The row of a resource by its plural name. */
  resource(plural: string): ResourceType;
  /** Stores a manifest directly, status included. */
  seed(manifest: JsonMap): KubeObject;
  /** Expires all versions up to now; open watches go on. */
  compact(): void;
  /** Breaks all open watches: by a 410 ERROR event, or by closing their connections. */
  breakWatches(how: 'expired' | 'closed'): void;
  close(): Promise<void>;
}

export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const resources = [...builtInResources, ...(options.resources ?? [])];
  const store = createStore(options.historyLimit === undefined ? {} : { historyLimit: options.historyLimit });
  const now = options.now ?? Date.now;
  const token = randomBytes(16).toString('hex');
  const administrator: User = { name: 'admin', groups: ['system:masters'] };
  const observers = new Set<CallObserver>();
  const calls: ApiCall[] = [];
  const keptCalls = options.keptCalls ?? 100_000;
  const deps: ServerDeps = {
    store,
    resources,
    access: { users: new Map([...(options.users ?? []), [token, administrator]]), authorize: options.authorize },
    faults: createFaults(),
    bookmarkInterval: options.bookmarkInterval ?? 60_000,
    now,
    watches: new Map(),
    report(call) {
      calls.push(call);
      if (calls.length > keptCalls * 1.25) calls.splice(0, calls.length - keptCalls);
      for (const observer of observers) observer(call);
    },
  };
  const resource = (plural: string) => {
    const found = resources.find((type) => type.plural === plural);
    if (!found) throw new Error(`no resource ${plural} is served`);
    return found;
  };
  for (const name of ['default', 'kube-system']) {
    seed({ store, resources, now: now() }, { kind: 'Namespace', metadata: { name } });
  }
  const stopClaims =
    options.claimController === false
      ? () => undefined
      : startClaimController({ store, pods: resource('pods'), claims: resource('resourceclaims') });
  const { certificate, server, url } = await listen(deps, options);

  return {
    url,
    ca: certificate,
    token,
    kubeconfigYaml: kubeconfigYaml({ url, ca: certificate, token }),
    store,
    resources,
    faults: deps.faults,
    calls,
    observe(observer) {
      observers.add(observer);
      return () => observers.delete(observer);
    },
    resource,
    seed: (manifest) => seed({ store, resources, now: now() }, manifest),
    compact: () => store.compact(),
    breakWatches(how) {
      for (const [watch, response] of [...deps.watches]) {
        if (how === 'expired') watch.expire();
        else response.destroy();
      }
    },
    async close() {
      stopClaims();
      for (const watch of deps.watches.keys()) watch.stop();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function listen(deps: ServerDeps, options: ClusterOptions) {
  const day = 24 * 60 * 60 * 1000;
  const { certificate, privateKey } = selfSignedCertificate({
    commonName: 'sluice-simulated-cluster',
    hosts: ['127.0.0.1', '127.0.0.2', 'localhost'],
    notBefore: new Date(Date.now() - day),
    notAfter: new Date(Date.now() + 30 * day),
  });
  const server = createServer({ cert: certificate, key: privateKey, ALPNProtocols: ['http/1.1'] }, apiServer(deps));
  // Go clients keep idle connections for 90 s; a server that closes them earlier loses requests under way.
  server.keepAliveTimeout = 120_000;
  server.requestTimeout = 0;
  const preferred = options.host ?? '127.0.0.2';
  const host = await bind(server, preferred, options.port ?? 0).catch(() =>
    bind(server, '127.0.0.1', options.port ?? 0),
  );
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the simulated cluster has no TCP port');
  return { certificate, server, url: `https://${host}:${address.port}` };
}

async function bind(server: Server, host: string, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return host;
}
