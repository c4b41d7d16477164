// Removes what a consumer that is gone left in a claim's reservedFor, so that the claim can be deallocated (KEP-5194).
import { hasNonPodEntry, releaseOf } from '../decide/release.ts';
import { isPod } from '../decide/reservedFor.ts';
import { nameKey, parseNameKey } from '../model/identity.ts';
import type { ReleaseMessage } from '../model/message.ts';
import type { ConsumerState } from '../model/objects.ts';
import type { ClaimConsumers } from '../ports.ts';
import { claimPages } from '../state/clusterPages.ts';
import { isWatched } from '../state/liveness.ts';
import { readPods } from '../state/podRows.ts';
import { podsReferring } from '../state/reach.ts';
import type { State } from '../state/state.ts';
import { modesNow } from './ownedSnapshot.ts';
import { reach } from './reach.ts';
import type { ClusterStepDependencies, StepDependencies } from './step.ts';

/** From the sweep: claims that are reserved for something that is not a pod, and that no live pod refers to. */
export async function askForReleases(deps: StepDependencies, state: State): Promise<void> {
  if (!deps.settings.releaseStaleConsumers || (await modesNow(deps, state)).native !== 'own') return;
  const { cluster } = state;
  for await (const page of claimPages(state)) {
    for (const claim of page.filter(hasNonPodEntry).map(nameKey))
      if (!(await isReferenced(state, claim))) await deps.queues.sendReleases([{ cluster, claim }]);
  }
}

/** Everything is asked again; what cannot be known waits, is counted, and comes back with the next sweep. */
export async function releaseClaim(deps: ClusterStepDependencies, message: ReleaseMessage): Promise<undefined> {
  const { cluster, claim } = message;
  const reached = await reach(deps, message);
  if (reached.kind !== 'Reached') return undefined;
  const { state, access } = reached;
  if (!deps.settings.releaseStaleConsumers || (await modesNow(deps, state)).native !== 'own') return undefined;
  if (!(await isWatched(state, deps.clock.now()))) return undefined;
  const live = await access.live.read('ResourceClaim', claim);
  if (live.kind === 'NotFound') return undefined;
  if (live.kind !== 'Found') return wait(deps, message, live.why);
  if (live.problem !== undefined) return wait(deps, message, live.problem);
  const { reservedFor } = live.object;
  // After the claim: a pod that came in between is listed, or the scheduler has moved the claim. The table may know no pod yet.
  const pods = await access.consumers.isReferenced(live.object);
  if (pods.kind !== 'Known') return wait(deps, message, pods.why);
  if (pods.isReferenced) return undefined;
  const states = await statesOf(access.consumers, parseNameKey(claim).namespace, reservedFor);
  const { remaining, waiting } = releaseOf(reservedFor, states);
  for (const { why } of waiting) wait(deps, message, why);
  if (remaining.length === reservedFor.length) return undefined;
  const released = await access.consumers.release(live.object, remaining);
  if (released.kind === 'RetryLater' || released.kind === 'Refused') return wait(deps, message, released.why);
  deps.log.info('stale consumers removed from reservedFor', { cluster, claim, outcome: released.kind });
  return undefined;
}

async function statesOf(
  consumers: ClaimConsumers,
  namespace: string,
  entries: Parameters<typeof releaseOf>[0],
): Promise<ReadonlyMap<string, ConsumerState>> {
  const states = new Map<string, ConsumerState>();
  for (const entry of entries) if (!isPod(entry)) states.set(entry.uid, await consumers.find(namespace, entry));
  return states;
}

/** By the index of claims to pods, which is a superset; a pod's tombstone refers to nothing. */
async function isReferenced(state: State, claim: string): Promise<boolean> {
  let after: string | undefined;
  do {
    const page = await podsReferring(state, claim, after);
    if ((await readPods(state, page.pods)).some(({ gone }) => !gone)) return true;
    after = page.next;
  } while (after !== undefined);
  return false;
}

function wait(deps: StepDependencies, { cluster, claim }: ReleaseMessage, why: string): undefined {
  deps.metrics.add('ReleasesWaiting', 1, cluster);
  deps.log.warn('a consumer of a claim cannot be looked up; its reservation stays', { cluster, claim, why });
}
