// Returns the API server of a message's cluster, unless the cluster's incarnation differs from that of the message's rows.
import { type ClusterId, type ClusterName, clusterNameOf, incarnationOf } from '../model/identity.ts';
import type { Milliseconds } from '../model/time.ts';
import type { State } from '../state/state.ts';
import type { ClusterStepDependencies, EvictionAccess } from './step.ts';

/** Maximum age of a shared answer; before each DELETE half a second (lib/stages/evict/sharedObjects.ts). */
const askEvery: Milliseconds = 5000;

/** Maximum age of an answer that drops a message: a re-created cluster sends its first messages within seconds. */
const dropsFor: Milliseconds = 250;

export type Reached<Access> =
  | { readonly kind: 'Reached'; readonly state: State; readonly access: Access }
  /** The message must be dropped: its rows belong to another incarnation than the live cluster. */
  | { readonly kind: 'OtherIncarnation' };

/** Does not check the incarnation, so use it for reads only. Throws where this process is not configured to call the cluster. */
export function turnTo<Access extends EvictionAccess>(
  deps: ClusterStepDependencies<Access>,
  { cluster }: { readonly cluster: ClusterId },
): { readonly state: State; readonly access: Access } {
  const access = deps.accessTo(clusterNameOf(cluster));
  if (!access) throw notReached(clusterNameOf(cluster));
  return { state: { table: deps.table, cluster, memory: deps.memory }, access };
}

/** Throws where this process is not configured to call the cluster. If its incarnation cannot be read, the next call fails. */
export async function reach<Access extends EvictionAccess>(
  deps: ClusterStepDependencies<Access>,
  { cluster }: { readonly cluster: ClusterId },
): Promise<Reached<Access>> {
  const { state, access } = turnTo(deps, { cluster });
  const ask = async (maxAge: Milliseconds) =>
    (await access.shared.read('incarnation', { maxAge }, () => access.live.incarnation())).value;
  const own = incarnationOf(cluster);
  const known = await ask(askEvery);
  if (known.kind !== 'Found' || known.incarnation === own) return { kind: 'Reached', state, access };
  const live = await ask(dropsFor);
  if (live.kind === 'Found' && live.incarnation === own) return { kind: 'Reached', state, access };
  deps.metrics.add('OtherIncarnation', 1, cluster);
  deps.log.warn('message of another incarnation of the cluster dropped', { cluster, live: known.incarnation });
  return { kind: 'OtherIncarnation' };
}

/** Raised for a cluster that this process is not configured to call. */
function notReached(cluster: ClusterName): Error {
  return new Error(
    `no API server of cluster "${cluster}" is reached from here: the cluster was taken out of the stack, or the message lies in another cluster's queue; it will be among the dead letters, where it can be deleted`,
  );
}
