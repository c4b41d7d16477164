// Claims, and two indexes: the pods that reference a claim, and the claims that hold a device.
import { claimNamesOf, reservedPods } from '../decide/consume.ts';
import { versionText } from '../mirror/order.ts';
import { type DeviceId, deviceKey, nameKey } from '../model/identity.ts';
import type { Pod, ResourceClaim } from '../model/objects.ts';
import { absent, any, type Condition, compare } from '../table.ts';
import { allocationKey, claimPodKey, claimRowKey } from './keys.ts';
import { replaceObject } from './replaceObject.ts';
import {
  type DirtyRow,
  isLive,
  type ObjectRow,
  readKnown,
  readObjectRow,
  type Seen,
  type State,
  type Stored,
  type Storing,
} from './state.ts';

/** Pods whose verdict a write of the claim may change and that are not evaluated yet; `*`: all pods that reference the claim. */
export type DirtyPods = readonly string[] | '*';

export type ClaimRow = DirtyRow<ResourceClaim, DirtyPods>;

/**
 * Index rows are written before the claim and deleted after it, each only over an older version, so that the index is always a
 * superset and a late message cannot delete a newer allocation. `dirty` survives a crash.
 */
export async function storeClaim(
  state: State,
  claim: ResourceClaim,
  options: Storing,
): Promise<Stored<ClaimRow> & { readonly isNewAnnotation?: boolean }> {
  const { seen, gone } = options;
  const key = nameKey(claim);
  const next = gone === undefined ? devicesOf(claim) : [];
  const stored = await replaceObject<ResourceClaim, DirtyPods>(state, {
    rowKey: claimRowKey(state.cluster, key),
    key,
    object: claim,
    ...options,
    first: (before) => {
      const known = new Set(
        before && isLive(before) && before.uid === seen.uid ? devicesOf(before.object).map(deviceKey) : [],
      );
      const added = next.filter((device) => !known.has(deviceKey(device)));
      return Promise.all(added.map((device) => putAllocation(state, device, { claim, seen })));
    },
    dirty: (before, known) =>
      known === undefined && gone === undefined
        ? (reservedPods(claim)?.map((name) => `${claim.namespace}/${name}`) ?? '*')
        : mergeDirty(before?.dirty, dirtyBy(before, gone === undefined ? claim : undefined)),
  });
  if (stored.kind === 'Stale') return stored;
  const { before, row } = stored;
  await dropAllocations(state, before, { next, claim, seen });
  const isSame = JSON.stringify(before?.object.annotations) === JSON.stringify(claim.annotations);
  // The same version again is a redelivery: the first delivery may have been interrupted.
  return { ...stored, isNewAnnotation: !isSame || before?.uid !== row.uid || before.at === row.at };
}

export async function readClaims(
  state: State,
  keys: readonly string[],
): Promise<{ readonly rows: readonly ObjectRow<ResourceClaim>[]; readonly expected: readonly string[] }> {
  const rows = await state.table.getMany(keys.map((key) => claimRowKey(state.cluster, key)));
  const expected = rows.filter((row) => readKnown(row)?.mirror === 'Expected').map(({ sk }) => sk);
  return { rows: rows.flatMap((row) => readObjectRow<ResourceClaim>(row, row.sk) ?? []), expected };
}

/** Pods whose verdict may differ between two states of a claim: all its pods, unless only reservations were added or removed. */
function dirtyBy(stored: ObjectRow<ResourceClaim> | undefined, next: ResourceClaim | undefined): DirtyPods {
  if (!stored || !isLive(stored) || !next || stored.uid !== next.uid) return '*';
  const [before, after] = [stored.object, next];
  const { reservedFor: reservedBefore, resourceVersion: _b, ...restBefore } = before;
  const { reservedFor: reservedAfter, resourceVersion: _a, ...restAfter } = after;
  if (JSON.stringify(restBefore) !== JSON.stringify(restAfter)) return '*';
  const inBoth = (uid: string) => reservedBefore.some((r) => r.uid === uid) && reservedAfter.some((r) => r.uid === uid);
  const moved = [...reservedBefore, ...reservedAfter].filter((entry) => !inBoth(entry.uid));
  if (moved.some((entry) => entry.resource !== 'pods' || entry.apiGroup)) return '*';
  return [...new Set(moved.map((entry) => `${next.namespace}/${entry.name}`))];
}

function mergeDirty(a: DirtyPods | undefined, b: DirtyPods): DirtyPods {
  if (a === '*' || b === '*') return '*';
  return [...new Set([...(a ?? []), ...b])];
}

function devicesOf(claim: ResourceClaim | undefined): readonly DeviceId[] {
  const devices = claim?.allocation?.devices ?? [];
  return [
    ...new Map(
      devices.map(({ driver, pool, device }) => [deviceKey({ driver, pool, device }), { driver, pool, device }]),
    ).values(),
  ];
}

function olderIndexRow(seen: Seen): Condition {
  const rv = versionText(seen.resourceVersion);
  return any(absent('rv'), compare('rv', '<=', rv));
}

async function putAllocation(state: State, device: DeviceId, by: { claim: ResourceClaim; seen: Seen }): Promise<void> {
  const row = {
    ...allocationKey(state.cluster, device, by.claim),
    claim: nameKey(by.claim),
    rv: versionText(by.seen.resourceVersion),
  };
  await state.table.transact([{ kind: 'Put', row, when: olderIndexRow(by.seen) }]);
}

async function dropAllocations(
  state: State,
  stored: ObjectRow<ResourceClaim> | undefined,
  by: { next: readonly DeviceId[]; claim: ResourceClaim; seen: Seen },
): Promise<void> {
  const kept = new Set(by.next.map(deviceKey));
  const left = devicesOf(stored?.object).filter((device) => !kept.has(deviceKey(device)));
  const older = compare('rv', '<', versionText(by.seen.resourceVersion));
  await Promise.all(
    left.map((device) =>
      state.table.write({ kind: 'Delete', key: allocationKey(state.cluster, device, by.claim), when: older }),
    ),
  );
}

/**
 * Writes index rows of the claims that a pod names, before the pod's own row, so that a change of a claim always finds the pod.
 * Claims that the pod's live row already names have their index rows.
 */
export async function indexPod(
  state: State,
  pod: Pod,
  by: { readonly before: ObjectRow<Pod> | undefined; readonly seen: Seen },
): Promise<void> {
  const { before, seen } = by;
  const known = before && isLive(before) && before.uid === seen.uid ? claimNamesOf(before.object) : [];
  const rv = versionText(seen.resourceVersion);
  const added = claimNamesOf(pod).filter((claim) => !known.includes(claim));
  await Promise.all(
    added.map((claim) => {
      const row = { ...claimPodKey(state.cluster, `${pod.namespace}/${claim}`, pod.name), uid: pod.uid, rv };
      return state.table.transact([{ kind: 'Put', row, when: olderIndexRow(by.seen) }]);
    }),
  );
}

/** Call after the pod's tombstone is written; a newer pod of the same name keeps its index rows. */
export async function unindexPod(state: State, pod: Pod, seen: Seen): Promise<void> {
  const when = compare('rv', '<=', versionText(seen.resourceVersion));
  await Promise.all(
    claimNamesOf(pod).map((claim) =>
      state.table.write({
        kind: 'Delete',
        key: claimPodKey(state.cluster, `${pod.namespace}/${claim}`, pod.name),
        when,
      }),
    ),
  );
}
