// Removes consumers that no longer exist from a claim's reservedFor, so that the claim can be deallocated (KEP-5194).
import { claimNamesOf } from '../decide/consume.ts';
import { hasNonPodEntry, releaseOf } from '../decide/release.ts';
import { isPod } from '../decide/reservedFor.ts';
import type { Deleted, Upserted } from '../model/change.ts';
import { type ClusterId, nameKey, parseNameKey } from '../model/identity.ts';
import type { ConsumerState } from '../model/objects.ts';
import type { ClaimConsumers } from '../ports.ts';
import { readClaims } from '../state/claimRows.ts';
import { isWatched } from '../state/liveness.ts';
import { readPods } from '../state/podRows.ts';
import { podsReferring } from '../state/reach.ts';
import { askForRelease, forgetRelease } from '../state/releaseRows.ts';
import type { State } from '../state/state.ts';
import { modesNow } from './ownedSnapshot.ts';
import { reach } from './reach.ts';
import type { ClusterStepDependencies, StepDependencies } from './step.ts';

/** After a change: marks claims that a non-pod consumer reserves and that may no longer be referenced by any pod. */
export async function noteReleasable(
  deps: StepDependencies,
  state: State,
  { type, object }: Upserted | Deleted,
): Promise<void> {
  if (!deps.settings.releaseStaleConsumers) return;
  const now = deps.clock.now();
  if (object.kind === 'ResourceClaim' && type === 'Upserted' && hasNonPodEntry(object))
    await askForRelease(state, nameKey(object), now);
  if (object.kind !== 'Pod' || type !== 'Deleted') return;
  const { rows } = await readClaims(
    state,
    claimNamesOf(object).map((name) => `${object.namespace}/${name}`),
  );
  const claims = rows.filter((row) => !row.gone && hasNonPodEntry(row.object));
  await Promise.all(claims.map(({ key }) => askForRelease(state, key, now)));
}

/** Reads everything again from the API server; an unknown state is counted, and the next sweep retries. */
export async function releaseClaim(
  deps: ClusterStepDependencies,
  by: { readonly cluster: ClusterId; readonly claim: string },
): Promise<undefined> {
  const { cluster, claim } = by;
  const reached = await reach(deps, by);
  if (reached.kind !== 'Reached') return undefined;
  const { state, access } = reached;
  const now = deps.clock.now();
  if (!deps.settings.releaseStaleConsumers || (await modesNow(deps, state)).native !== 'own') return undefined;
  if (!(await isWatched(state, now))) return undefined;
  const live = await access.live.read('ResourceClaim', claim);
  if (live.kind === 'NotFound') return forgetRelease(state, claim, now);
  if (live.kind !== 'Found') return wait(deps, by, live.why);
  if (live.problem !== undefined) return wait(deps, by, live.problem);
  const { reservedFor } = live.object;
  // If a pod in the table refers to the claim, that pod's deletion requests the release again.
  if (!hasNonPodEntry(live.object) || (await isReferenced(state, claim))) return forgetRelease(state, claim, now);
  // Read pods after the claim: a pod created in between is listed, or the scheduler changed the claim. The table may lag behind.
  const pods = await access.consumers.isReferenced(live.object);
  if (pods.kind !== 'Known') return wait(deps, by, pods.why);
  if (pods.isReferenced) return undefined;
  const states = await statesOf(access.consumers, parseNameKey(claim).namespace, reservedFor);
  const { remaining, waiting } = releaseOf(reservedFor, states);
  for (const { why } of waiting) wait(deps, by, why);
  if (remaining.length === reservedFor.length) return undefined;
  const released = await access.consumers.release(live.object, remaining);
  if (released.kind === 'RetryLater' || released.kind === 'Refused') return wait(deps, by, released.why);
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

/** Uses the claim-to-pod index, which is a superset; a pod's tombstone refers to no claim. */
async function isReferenced(state: State, claim: string): Promise<boolean> {
  let after: string | undefined;
  do {
    const page = await podsReferring(state, claim, after);
    if ((await readPods(state, page.pods)).some(({ gone }) => !gone)) return true;
    after = page.next;
  } while (after !== undefined);
  return false;
}

function wait(
  deps: StepDependencies,
  { cluster, claim }: { readonly cluster: ClusterId; readonly claim: string },
  why: string,
): undefined {
  deps.metrics.add('ReleasesWaiting', 1, cluster);
  deps.log.warn('a consumer of a claim cannot be looked up; its reservation stays', { cluster, claim, why });
}
