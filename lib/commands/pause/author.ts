// Who sets a pause: the user name that the API server knows, else that of the machine.
import { userInfo } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { versionWithin } from '../../adapters/kubernetes/askVersion.ts';
import { whoAmI } from '../../adapters/kubernetes/whoAmI.ts';
import { kubeconfigOf, type OpenCluster, withConnection } from '../cluster/open.ts';
import type { Call } from '../definition.ts';
import type { Io } from '../io.ts';

export async function authorIn({ client }: Pick<OpenCluster, 'client'>, io: Io, other = localAuthor): Promise<string> {
  return (await whoAmI(client)) ?? other(io);
}

/** For a pause in the state table, which needs no cluster: a kubeconfig that does not help must not delay it. */
export async function authorOf(call: Call): Promise<string> {
  const { io } = call;
  if (kubeconfigOf(call) === undefined) return localAuthor(io);
  const asked = withConnection(call, (cluster) => authorIn(cluster, io)).catch(() => localAuthor(io));
  return Promise.race([asked, setTimeout(versionWithin, undefined, { ref: false }).then(() => localAuthor(io))]);
}

function localAuthor({ env }: Io): string {
  return env.USER || userInfo().username;
}
