// Reads one pod and all objects that decide about it from the API server, so that all of it was true at one instant.

import { withPolicy } from '../../decide/policy.ts';
import { ghostOf } from '../../decide/policyGone.ts';
import { taintRulesOf } from '../../decide/ruleTaints.ts';
import { evicts } from '../../decide/taint.ts';
import type { LiveCluster, SharedReads } from '../../liveCluster.ts';
import { isRelevant } from '../../mirror/relevant.ts';
import type { Pod, ResourceClaim } from '../../model/objects.ts';
import type { EvictionPolicy } from '../../model/policy.ts';
import type { TaintRule } from '../../model/rule.ts';
import type { InstallationSettings, Snapshot } from '../../model/snapshot.ts';
import type { Instant, Milliseconds } from '../../model/time.ts';
import { readClaims } from '../../state/claimRows.ts';
import type { Current } from '../../state/currentRules.ts';
import { snapshotAround } from '../../state/neighbourhood.ts';
import type { PodRow } from '../../state/podRows.ts';
import type { ObjectRow, State } from '../../state/state.ts';
import { readStopsAhead } from '../../steps/stops.ts';
import { claimKeysOf, isUnmoved, type NotKnown, type OwnReads, readOwn, wereSameAt } from './ownReads.ts';
import { readAround, wantedFor } from './readAround.ts';
import type { ClaimRows } from './round.ts';
import { readShared, type SharedObjects } from './sharedObjects.ts';

export interface LiveView extends Omit<SharedObjects, 'kind'> {
  readonly kind: 'View';
  readonly own: OwnReads;
  /** The pod with the row's UID; absent where it is gone, or its name belongs to another pod. */
  readonly pod: Pod | undefined;
  /** What only the table stores: modes, what deleted policies left, and since when rules act. */
  readonly memory: Current;
  readonly claimRows: readonly ObjectRow<ResourceClaim>[];
}

interface From {
  readonly state: State;
  readonly access: { readonly live: LiveCluster; readonly shared: SharedReads };
}

/** Upper bound on the clock skew between functions (docs/pace.md). */
const clockMargin: Milliseconds = 2000;

/**
 * Reads do not happen at one instant: an old claim joined with a new slice could evict a pod that no single state evicts. The
 * reads were true at one instant if the pod and its claims did not change between the start and the end of the shared reads. An
 * earlier list of other pods proves that: an object whose version is not above the list's has not changed since. So does a row
 * that was written before; if neither applies, the shared objects are read again. `Moved`: the pod or a claim has changed.
 */
export async function readLive(
  from: From,
  by: {
    readonly row: PodRow;
    readonly memory: Current;
    readonly claimRows: ClaimRows | undefined;
    /** When this revalidation began. */
    readonly now: Instant;
  },
): Promise<LiveView | NotKnown | { readonly kind: 'Moved' }> {
  const { state, access } = from;
  const { row, memory, now: since } = by;
  const claimRows = by.claimRows ? await by.claimRows : (await readClaims(state, claimKeysOf(row.object))).rows;
  // Start with the table's view of what is needed: usually nothing is left to read after the pod, and the pod is read once.
  await readAround(from, { row, memory, claimRows, since });
  // Its answer comes with that of the pod, young enough for the call that follows.
  readStopsAhead(from, since);
  const own = await readOwn(access, row.object);
  if (own.kind === 'Kept') return own;
  const seen = seenOf(own, row.uid);
  const wanted = await wantedFor(state, { row, ...seen, memory, since });
  let shared = await readShared(access, wanted);
  if (shared.kind === 'Kept') return shared;
  const isProven = wereSameAt(shared.versions, own) || wasBefore(shared.readAt, { row, claimRows, own });
  if (shared.begun < own.ended && !isProven) {
    shared = await readShared(access, { ...wanted, after: own.ended });
    if (shared.kind === 'Kept') return shared;
  }
  const last = shared.ended > own.begun ? await readOwn(access, row.object) : own;
  if (last.kind === 'Kept') return last;
  if (!isUnmoved(own, last)) return { kind: 'Moved' };
  return { ...shared, kind: 'View', own: last, pod: seen.pod, memory, claimRows };
}

/** The pod with this UID, and its claims. */
function seenOf({ pod, claims }: OwnReads, uid: string) {
  if (pod.kind !== 'There' || pod.object.uid !== uid) return { pod: undefined, claims: [] };
  return { pod: pod.object, claims: [...claims.values()].flatMap((one) => (one.kind === 'There' ? [one.object] : [])) };
}

/** Whether the rows of the pod and its claims show the same versions, and were written before `at`. */
function wasBefore(
  at: Instant,
  { row, claimRows, own }: { readonly row: PodRow; readonly claimRows: LiveView['claimRows']; readonly own: OwnReads },
): boolean {
  const isOld = (stored: ObjectRow<Pod | ResourceClaim> | undefined, live: Pod | ResourceClaim) =>
    stored?.uid === live.uid &&
    !stored.gone &&
    stored.object.resourceVersion === live.resourceVersion &&
    stored.storedAt !== undefined &&
    stored.storedAt + clockMargin <= at;
  if (own.pod.kind !== 'There' || !isOld(row, own.pod.object)) return false;
  return [...own.claims].every(([key, one]) => {
    const stored = claimRows.find((claim) => claim.key === key);
    return one.kind === 'There' && isOld(stored, one.object);
  });
}

/** The snapshot that evaluations use, built from live objects. */
export async function liveSnapshot(
  state: State,
  view: LiveView,
  { settings, now }: { readonly settings: InstallationSettings; readonly now: Instant },
): Promise<Snapshot> {
  const { own, pod, memory, namespaces, slices, taintSlices } = view;
  const claims = [...own.claims.values()].flatMap((one) => (one.kind === 'There' ? [one.object] : []));
  const policies = policiesOf(view);
  const known = namespaces.filter(isRelevant);
  return snapshotAround(
    state,
    {
      pods: pod ? [pod] : [],
      claims,
      slices,
      taintSlices,
      rules: rulesOf(view, { policies, now }),
      policies,
      namespaces: new Map(known.map((namespace) => [namespace.name, namespace])),
      podGroups: memory.podGroups,
      modes: memory.modes,
    },
    settings,
  );
}

/** Live policies, with what the deletion of a policy of their name left, and the remains of other policies. */
function policiesOf({ policies, memory }: LiveView): readonly EvictionPolicy[] {
  const left = new Map(memory.policies.flatMap((one) => ghostOf(one) ?? []).map((one) => [one.name, one]));
  const live = policies.map((one) => {
    const { deserted } = left.get(one.name) ?? {};
    return deserted ? { ...one, deserted } : one;
  });
  const names = new Set(policies.map(({ name }) => name));
  return [...live, ...[...left.values()].filter(({ name }) => !names.has(name))];
}

/** A taint that the table has not yet seen as evicting starts to act now. */
function rulesOf(
  { rules, replacing, classes, memory }: LiveView,
  { policies, now }: { readonly policies: readonly EvictionPolicy[]; readonly now: Instant },
): readonly TaintRule[] {
  const selectors = new Map(classes.map((one) => [one.name, one.selectors]));
  return [...rules, ...replacing]
    .flatMap((rule) => taintRulesOf(rule, selectors))
    .map((rule) => {
      const known = memory.rules.find(({ uid, taint }) => uid === rule.uid && taint.key === rule.taint.key);
      return evicts(rule.taint) ? { ...rule, actingSince: known?.actingSince ?? now } : rule;
    })
    .map((rule) => withPolicy(rule, policies));
}
