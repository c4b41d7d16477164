// What can be known to be in the wrong account or region before anything is deployed.
import type { ClusterProps } from './props.ts';

/** Of the stack; absent where it is known at deployment only. */
export interface Place {
  readonly account?: string;
  readonly region?: string;
}

export function checkPlace(clusters: readonly ClusterProps[], place: Place): readonly string[] {
  return clusters.flatMap((cluster) =>
    [...checkAccount(cluster, place), ...checkRegion(cluster, place)].map((one) => `cluster "${cluster.name}": ${one}`),
  );
}

/** A policy of the stack can be attached to a role of its own account alone. */
function checkAccount({ executorRoleArn }: ClusterProps, { account }: Place): readonly string[] {
  const [, , , , own = ''] = executorRoleArn?.split(':') ?? [];
  if (account === undefined || own === '' || own === account) return [];
  return [
    `executorRoleArn "${executorRoleArn}" is of account ${own}, the stack of ${account}: name a role of account ${account}`,
  ];
}

/** Access entries are made in the region of the stack; the names of EKS endpoints say theirs. */
function checkRegion({ accessEntry, endpoint }: ClusterProps, { region }: Place): readonly string[] {
  const own = /\.([a-z0-9-]+)\.eks\.amazonaws\.com/.exec(endpoint)?.[1];
  if (!accessEntry || region === undefined || own === undefined || own === region) return [];
  return [
    `endpoint "${endpoint}" is in ${own}, the stack in ${region}: deploy a stack in ${own}, or leave accessEntry out and make the entry by hand`,
  ];
}
