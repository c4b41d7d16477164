// Which clusters an installation has, so that a wrong name is an error and never an answer.
import { readIncarnations } from '../../state/incarnationRows.ts';
import { Failure } from '../failure.ts';
import { nearestHelp } from '../nearest.ts';
import { clustersOfFile, type OpenInstallation } from './open.ts';

/** From the stack, else from sluice.yaml. Absent where only the table is known: it has no list of its clusters. */
export async function knownClusters(open: OpenInstallation): Promise<readonly string[] | undefined> {
  const { stack, region } = open.target;
  if (stack === undefined || region === undefined) return clustersOfFile(open);
  const { clustersOfStack } = await import('./stack.ts');
  return Object.keys(await clustersOfStack({ stack, region })).sort();
}

/** Answers the known clusters; throws where there is no such one. With the table alone a cluster exists once its watcher was heard. */
export async function requireCluster(open: OpenInstallation, cluster: string): Promise<readonly string[] | undefined> {
  const known = await knownClusters(open);
  if (known?.includes(cluster)) return known;
  if (known)
    throw new Failure(`the installation has no cluster ${cluster}`, nearestHelp(cluster, known, 'sluice get clusters'));
  if ((await readIncarnations(open.table, cluster)).length > 0) return undefined;
  const remembered = open.target.cluster === undefined || open.target.cluster === cluster ? [] : [open.target.cluster];
  throw new Failure(
    `table ${open.tableName} has no row of a cluster ${cluster}`,
    `${nearestHelp(cluster, remembered, 'sluice get clusters --stack NAME')}`,
  );
}
