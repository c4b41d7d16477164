// Starts a simulated Kubernetes cluster: the API over TLS on a loopback address, its store, and the claim controller.
import { randomBytes } from 'node:crypto';
import type { AccessOptions, User } from './access.ts';
import { type ApiCall, type CallObserver, createCallLog } from './calls.ts';
import { startClaimController } from './claimController.ts';
import { createFaults, type Faults } from './faults.ts';
import { kubeconfigYaml } from './kubeconfig.ts';
import { listen } from './listen.ts';
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
  /** Custom resources, served beside the built-in ones; one of the same name replaces a built-in one. */
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
  /** Expires all versions up to now; open watches continue. */
  compact(): void;
  /** Breaks all open watches: by a 410 ERROR event, or by closing their connections. */
  breakWatches(how: 'expired' | 'closed'): void;
  close(): Promise<void>;
}

export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const { resources: own = [] } = options;
  const isReplaced = ({ group, plural }: ResourceType) =>
    own.some((one) => one.group === group && one.plural === plural);
  const resources = [...builtInResources.filter((one) => !isReplaced(one)), ...own];
  const store = createStore(options.historyLimit === undefined ? {} : { historyLimit: options.historyLimit });
  const now = options.now ?? Date.now;
  const token = randomBytes(16).toString('hex');
  const log = createCallLog(options.keptCalls ?? 100_000);
  const deps: ServerDeps = {
    store,
    resources,
    access: { users: new Map([...(options.users ?? []), [token, administrator]]), authorize: options.authorize },
    faults: createFaults(),
    bookmarkInterval: options.bookmarkInterval ?? 60_000,
    now,
    watches: new Map(),
    report: log.report,
  };
  const sow = (manifest: JsonMap) => seed({ store, resources, now: now() }, manifest);
  for (const name of ['default', 'kube-system']) sow({ kind: 'Namespace', metadata: { name } });
  const resource = (plural: string) => getResource(resources, plural);
  const controlled = { store, pods: resource('pods'), claims: resource('resourceclaims') };
  const stopClaims = options.claimController === false ? () => undefined : startClaimController(controlled);
  const { server, url, ca } = await listen(apiServer(deps), options.host ?? '127.0.0.2', options.port ?? 0);
  return {
    url,
    ca,
    token,
    kubeconfigYaml: kubeconfigYaml({ url, ca, token }),
    store,
    resources,
    faults: deps.faults,
    calls: log.calls,
    observe: log.observe,
    resource,
    seed: sow,
    compact: () => store.compact(),
    breakWatches: (how) => breakWatches(deps, how),
    async close() {
      stopClaims();
      for (const watch of deps.watches.keys()) watch.stop();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

const administrator: User = { name: 'admin', groups: ['system:masters'] };

function getResource(resources: readonly ResourceType[], plural: string): ResourceType {
  const found = resources.find((type) => type.plural === plural);
  if (!found) throw new Error(`no resource ${plural} is served`);
  return found;
}

function breakWatches(deps: ServerDeps, how: 'expired' | 'closed'): void {
  for (const [watch, response] of [...deps.watches]) {
    if (how === 'expired') watch.expire();
    else response.destroy();
  }
}
