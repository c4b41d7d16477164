// Looks up endpoints and certificate authorities of EKS clusters that sluice.yaml does not give.
import type { Config } from './schema.ts';

type Cluster = Config['clusters'][number];

export type ConnectedCluster = Cluster & { readonly endpoint: string };
export type ConnectedConfig = Omit<Config, 'clusters'> & { readonly clusters: readonly ConnectedCluster[] };

/** Reads an EKS cluster by its name. */
export type DescribeEks = (
  name: string,
) => Promise<{ readonly endpoint: string; readonly certificateAuthority: string }>;

/** Throws if a cluster cannot be looked up; the message says what to write instead. */
export async function connectClusters(config: Config, describe: DescribeEks): Promise<ConnectedConfig> {
  return { ...config, clusters: await Promise.all(config.clusters.map((cluster) => connect(cluster, describe))) };
}

async function connect(cluster: Cluster, describe: DescribeEks): Promise<ConnectedCluster> {
  const { endpoint, auth } = cluster;
  if (endpoint !== undefined) return { ...cluster, endpoint };
  if (auth.kind !== 'eks') throw new Error(`cluster "${cluster.name}" has no endpoint`);
  try {
    return { ...cluster, ...(await describe(auth.clusterName)) };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(
      `cluster "${cluster.name}": the EKS cluster ${auth.clusterName} cannot be read (${why}): use credentials that allow eks:DescribeCluster, or set endpoint and certificateAuthority`,
    );
  }
}
