// The API server of one configured cluster as the steps see it: evict, read rules, write conditions, record Events.
import type { ClusterConnection } from '../../contract.ts';
import type { Clock, EventRecorder, LiveRules, Log, PodEvictor, RuleStatusWriter } from '../../ports.ts';
import { type ApiClient, createApiClient } from './apiClient.ts';
import { type CredentialsSource, credentialsFromFile } from './credentials.ts';
import { eksCredentials, keysFromEnvironment } from './eksToken.ts';
import { createEventRecorder } from './eventRecorder.ts';
import { createPodEvictor } from './podEvictor.ts';
import { createRules } from './rules.ts';

export interface ClusterAccessDependencies {
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

export interface KubernetesAccess {
  readonly evictor: PodEvictor;
  readonly liveRules: LiveRules;
  readonly ruleStatus: RuleStatusWriter;
  readonly events: EventRecorder;
  /** Closes kept connections. */
  close(): void;
}

export function createClusterAccess(connection: ClusterConnection, deps: ClusterAccessDependencies): KubernetesAccess {
  const client = createApiClient(connection, credentialsFor(connection.auth, deps));
  return { ...accessOver(client, deps), close: () => client.close() };
}

/** The same over a client that exists already. */
export function accessOver(client: ApiClient, deps: ClusterAccessDependencies): Omit<KubernetesAccess, 'close'> {
  const { clock, log } = deps;
  return {
    evictor: createPodEvictor(client, () => clock.now()),
    ...createRules(client),
    events: createEventRecorder(client, log),
  };
}

function credentialsFor(auth: ClusterConnection['auth'], deps: ClusterAccessDependencies): CredentialsSource {
  const env = deps.env ?? process.env;
  switch (auth.kind) {
    case 'eks': {
      const region = env.AWS_REGION ?? env.AWS_DEFAULT_REGION ?? '';
      return eksCredentials({
        clusterName: auth.clusterName,
        region,
        keys: keysFromEnvironment(env),
        clock: deps.clock,
      });
    }
    case 'file':
      return credentialsFromFile(auth.path);
    default:
      return auth satisfies never;
  }
}
