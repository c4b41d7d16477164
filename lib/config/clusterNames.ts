// Finds names of clusters that cannot stand beside each other, or are too long for what is named after them.
import { defaultStackName, outputNameOf } from '../outputs.ts';
import type { Problem } from './problem.ts';
import type { Config } from './schema.ts';

type Cluster = Config['clusters'][number];

export function nameProblems(clusters: readonly Cluster[]): readonly Problem[] {
  return [...sameNames(clusters), ...sameServers(clusters), ...sameEntries(clusters)];
}

/** Maximum length of a queue name (SQS quota: 80), minus `_dead`. */
export const longestQueueName = 75;

/** The longest name is that of a queue of one cluster, `<stack>-ingest-<cluster>`. */
export function longNames(clusters: readonly Cluster[], stackName = defaultStackName): readonly Problem[] {
  const most = longestQueueName - `${stackName}-ingest-`.length;
  return clusters.flatMap(({ name }, i) =>
    name.length <= most
      ? []
      : [
          {
            path: ['clusters', i, 'name'],
            text: `"${name}" and the stack name "${stackName}" are too long for the name of a queue: shorten them by ${name.length - most}`,
          },
        ],
  );
}

/** EKS has one access entry for each role of a cluster, and refuses a second one. */
function sameEntries(clusters: readonly Cluster[]): readonly Problem[] {
  const entered = ({ auth, accessEntry }: Cluster) =>
    accessEntry && auth.kind === 'eks' ? auth.clusterName : undefined;
  return repeated(clusters, entered, ({ of, before }) => ({
    path: ['accessEntry'],
    text: `cluster ${before} makes the access entries of EKS cluster ${of} already: leave it out here`,
  }));
}

/**
 * Two names for one API server would evict its pods at the sum of two rates. Executors (`auth.kind: outbound`) call it from inside the
 * cluster, so that several clusters may have the same address.
 */
function sameServers(clusters: readonly Cluster[]): readonly Problem[] {
  return repeated(clusters, serverOf, ({ of, before, cluster }) => ({
    path: cluster.endpoint === undefined ? ['auth', 'clusterName'] : ['endpoint'],
    text: `${of} is cluster ${before} already: name another one, or leave the cluster out`,
  }));
}

/** A problem for each cluster with the key of one before it; `before`: the name of the first one. */
function repeated(
  clusters: readonly Cluster[],
  keyOf: (cluster: Cluster) => string | undefined,
  problem: (found: { readonly of: string; readonly before: string; readonly cluster: Cluster }) => Problem,
): readonly Problem[] {
  const first = new Map<string, string>();
  return clusters.flatMap((cluster, i) => {
    const of = keyOf(cluster);
    if (of === undefined) return [];
    const before = first.get(of);
    if (before === undefined) {
      first.set(of, cluster.name);
      return [];
    }
    const { path, text } = problem({ of, before, cluster });
    return [{ path: ['clusters', i, ...path], text }];
  });
}

/** Absent if it is not known, or known to the executor alone. */
function serverOf({ endpoint, auth }: Cluster): string | undefined {
  if (auth.kind === 'outbound') return undefined;
  if (endpoint !== undefined) return URL.canParse(endpoint) ? originOf(new URL(endpoint)) : undefined;
  return auth.kind === 'eks' ? `EKS cluster ${auth.clusterName}` : undefined;
}

/** The same for all spellings of one address: a name may end with a dot, and IPv6 may contain an IPv4 address (RFC 4291, 2.5.5.2). */
function originOf({ protocol, hostname, port }: URL): string {
  const [, high = '', low = ''] = /^\[::ffff:([0-9a-f]+):([0-9a-f]+)\]$/.exec(hostname) ?? [];
  const bytes = [high, low].flatMap((part) => [Number.parseInt(part, 16) >> 8, Number.parseInt(part, 16) & 255]);
  const host = high === '' ? hostname.replace(/\.$/, '') : bytes.join('.');
  return `${protocol}//${host}${port === '' ? '' : `:${port}`}`;
}

/** Cluster names that give the same output name, because output names contain no dashes. */
function sameNames(clusters: readonly Cluster[]): readonly Problem[] {
  const names = clusters.map(({ name }) => outputNameOf(name));
  return clusters.flatMap(({ name }, i) =>
    names.indexOf(outputNameOf(name)) === i
      ? []
      : [{ path: ['clusters', i, 'name'], text: `"${name}" is taken; a difference in dashes alone does not count` }],
  );
}
