// One pod and everything around it as the API server shows it, read so that all of it held at one instant.
import { freezeTolerations } from '../../decide/annotatedTolerations.ts';
import { withPolicy } from '../../decide/policy.ts';
import { taintRulesOf } from '../../decide/ruleTaints.ts';
import { evicts } from '../../decide/taint.ts';
import type { LiveCluster, SharedReads } from '../../liveCluster.ts';
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
import { claimKeysOf, isUnmoved, type NotKnown, type OwnReads, readOwn, wereSameAt } from './ownReads.ts';
import { readAround, wantedFor } from './readAround.ts';
import type { ClaimRows } from './round.ts';
import { readShared, type SharedObjects } from './sharedObjects.ts';

export interface LiveView extends Omit<SharedObjects, 'kind'> {
  readonly kind: 'View';
  readonly own: OwnReads;
  /** The very pod of the row; absent where it is gone, or its name belongs to another one. */
  readonly pod: Pod | undefined;
  /** What only the table knows: modes, what deleted policies left, and since when rules act. */
  readonly memory: Current;
  readonly claimRows: readonly ObjectRow<ResourceClaim>[];
}

interface From {
  readonly state: State;
  readonly access: { readonly live: LiveCluster; readonly shared: SharedReads };
}

/** Clocks of functions differ by less (docs/pace.md). */
const clockMargin: Milliseconds = 2000;

/**
 * Reads are no instant: an old claim joined with a new slice can evict a pod that had to stay at every moment. What was read
 * holds at one if the pod and its claims were the same before the shared reads and after them. What they were before, a list of other
 * pods says that was answered before: what has no newer version than that list has not changed since. So do the table's rows that were
 * written before; else the pod is read again. `Moved`: it was not the same.
 */
export async function readLive(
  from: From,
  by: {
    readonly row: PodRow;
    readonly memory: Current;
    readonly claimRows: ClaimRows | undefined;
  },
): Promise<LiveView | NotKnown | { readonly kind: 'Moved' }> {
  const { state, access } = from;
  const { row, memory } = by;
  const claimRows = by.claimRows ? await by.claimRows : (await readClaims(state, claimKeysOf(row.object))).rows;
  // What the table says is read first: then nothing is left to be read after the pod, and the pod is read once.
  await readAround(from, { row, memory, claimRows });
  const own = await readOwn(access, row.object);
  if (own.kind === 'Kept') return own;
  const seen = seenOf(own, row.uid);
  const wanted = await wantedFor(state, { row, ...seen, memory });
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

/** The very pod and its claims. */
function seenOf({ pod, claims }: OwnReads, uid: string) {
  if (pod.kind !== 'There' || pod.object.uid !== uid) return { pod: undefined, claims: [] };
  return { pod: pod.object, claims: [...claims.values()].flatMap((one) => (one.kind === 'There' ? [one.object] : [])) };
}

/** Whether the rows of the pod and its claims show these versions, and were written before that. */
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

/** The same picture that evaluations have, of live objects. */
export async function liveSnapshot(
  state: State,
  view: LiveView,
  { settings, now }: { readonly settings: InstallationSettings; readonly now: Instant },
): Promise<Snapshot> {
  const { own, pod, memory, claimRows, namespaces, slices, taintSlices } = view;
  const claims = [...own.claims].flatMap(([key, one]) => {
    const stored = claimRows.find((claim) => claim.key === key);
    return one.kind === 'There' ? [freezeTolerations(one.object, stored?.gone ? undefined : stored?.object)] : [];
  });
  const policies = policiesOf(view);
  const labelled = namespaces.filter(({ labels }) => labels !== undefined);
  return snapshotAround(
    state,
    {
      pods: pod ? [pod] : [],
      claims,
      slices,
      taintSlices,
      rules: rulesOf(view, { policies, now }),
      policies,
      namespaces: new Map(labelled.map((namespace) => [namespace.name, namespace])),
      podGroups: memory.podGroups,
      modes: memory.modes,
    },
    settings,
  );
}

/** With what is left of those that were deleted while pods waited under them, as long as no other has their name. */
function policiesOf({ policies, memory }: LiveView): readonly EvictionPolicy[] {
  const live = policies === 'NotServed' ? [] : policies;
  const left = memory.policies.filter(({ name, deserted }) => deserted && live.every((one) => one.name !== name));
  return [...live, ...left];
}

/** A taint that the table has not seen to evict begins to at this moment. */
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
