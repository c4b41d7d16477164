// Lists the clusters of an installation, so that a wrong cluster name is an error and not an empty answer.
import { readIncarnations } from '../../state/incarnationRows.ts';
import { Failure } from '../failure.ts';
import { nearestHelp } from '../nearest.ts';
import type { OpenInstallation } from './open.ts';
import { clustersOfFile } from './target.ts';

/** From the stack, else from the sluice.yaml that is named. Absent if only the table is known, which has no list of clusters. */
export async function knownClusters(open: OpenInstallation): Promise<readonly string[] | undefined> {
  const { stack, region } = open.target;
  if (stack === undefined || region === undefined) return clustersOfFile(open);
  const { clustersOfStack } = await import('./stack.ts');
  return Object.keys(await clustersOfStack({ stack, region })).sort();
}

/** Returns the known clusters; throws if `cluster` is not one. With the table alone, a cluster exists after its first heartbeat. */
export async function requireCluster(open: OpenInstallation, cluster: string): Promise<readonly string[] | undefined> {
  const known = await knownClusters(open);
  if (known?.includes(cluster)) return known;
  if (known)
    throw new Failure(`the installation has no cluster ${cluster}`, nearestHelp(cluster, known, 'sluice get clusters'));
  if ((await readIncarnations(open.table, cluster)).length > 0) return undefined;
  const remembered = open.target.cluster === undefined || open.target.cluster === cluster ? [] : [open.target.cluster];
  throw new Failure(
    `table ${open.tableName} has no data of a cluster ${cluster}`,
    `${nearestHelp(cluster, remembered, 'sluice get clusters --stack NAME')}`,
  );
}
