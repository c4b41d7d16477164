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
  /** Falls back to 127.0.0.1 if it cannot be bound. Default 127.0.0.2: some AWS Lambda emulators redirect 127.0.0.1. */
  readonly host?: string;
  readonly port?: number;
  /** Users by token, besides the administrator. */
  readonly users?: ReadonlyMap<string, User>;
  /** User name of the administrator; default admin. */
  readonly administrator?: string;
  /** Serves SelfSubjectReviews, as Kubernetes does since 1.28; default true. */
  readonly hasSelfReview?: boolean;
  readonly authorize?: AccessOptions['authorize'];
  /** Additional custom resources; one with the name of a built-in resource replaces it. */
  readonly resources?: readonly ResourceType[];
  /** Milliseconds between bookmarks; default 60,000, as on a real API server. */
  readonly bookmarkInterval?: number;
  /** Number of changes kept per resource, for watches that resume. */
  readonly historyLimit?: number;
  /** Clock for timestamps, in epoch milliseconds. */
  readonly now?: () => number;
  /** Runs the claim controller, which deallocates claims of deleted pods; default true. */
  readonly claimController?: boolean;
  /** Number of newest calls kept in `calls`; default 100,000. */
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
  /** Answered requests, oldest first. */
  readonly calls: readonly ApiCall[];
  /** Calls the observer for every response; returns a function that removes the observer. */
  observe(observer: CallObserver): () => void;
  /** Resource type by plural name. */
  resource(plural: string): ResourceType;
  /** Stores a manifest directly, status included. */
  seed(manifest: JsonMap): KubeObject;
  /** Expires all resourceVersions up to now; open watches continue. */
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
  const administrator = { name: options.administrator ?? 'admin', groups: ['system:masters'] };
  const log = createCallLog(options.keptCalls ?? 100_000);
  const deps: ServerDeps = {
    store,
    resources,
    access: { users: new Map([...(options.users ?? []), [token, administrator]]), authorize: options.authorize },
    faults: createFaults(),
    hasSelfReview: options.hasSelfReview ?? true,
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
