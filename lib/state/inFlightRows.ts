// Evictions in flight per scope: one row that names their pods, from the intent until a later eviction finds the pod gone.
import type { Scope } from '../gates/gate.ts';
import type { Uid } from '../model/identity.ts';
import type { Instant } from '../model/time.ts';
import { absent, compare, type Write } from '../table.ts';
import { inFlightKey } from './keys.ts';
import { type PodRow, readPods } from './podRows.ts';
import type { State } from './state.ts';

/** A pod that never terminates holds its place this long. */
const retentionSeconds = 7 * 24 * 3600;

export interface InFlightPod {
  readonly uid: Uid;
  /** `namespace/name`. */
  readonly pod: string;
}

export interface InFlight {
  readonly scope: Scope;
  /** The pods whose eviction is still in flight. */
  readonly pods: readonly InFlightPod[];
  readonly ver: number;
}

/** Reads the rows before the pods: an evictor that takes a place in between changes the row's version. */
export async function readInFlight(state: State, scopes: readonly Scope[]): Promise<readonly InFlight[]> {
  const found = await state.table.getMany(scopes.map((scope) => inFlightKey(state.cluster, scope)));
  const byKey = new Map(found.map((row) => [row.pk, row]));
  const known = scopes.map((scope) => {
    const row = byKey.get(inFlightKey(state.cluster, scope).pk);
    const pods = (row?.pods as readonly InFlightPod[] | undefined) ?? [];
    return { scope, pods, ver: (row?.ver as number | undefined) ?? 0 };
  });
  const rows = await readPods(state, [...new Set(known.flatMap(({ pods }) => pods.map(({ pod }) => pod)))]);
  const byPod = new Map(rows.map((row) => [row.key, row]));
  return known.map((one) => ({ ...one, pods: one.pods.filter((pod) => isInFlight(pod, byPod.get(pod.pod))) }));
}

/** Whether a pod still holds its place. `row`: the row with the pod's name; absent where there is none. */
export function isInFlight({ uid }: InFlightPod, row: Pick<PodRow, 'uid' | 'gone' | 'ledger'> | undefined): boolean {
  if (row?.uid !== uid || row.gone || row.ledger?.podUid !== uid) return false;
  // A pod whose eviction ended as Gone may still be terminating for a long time.
  return ['Deleting', 'Evicted', 'Gone'].includes(row.ledger.state);
}

/** Must be in the transaction after which the pod may be deleted: of two writers with the same version, one must read again. */
export function takePlace(state: State, before: InFlight, by: InFlightPod & { readonly now: Instant }): Write {
  const { scope, ver } = before;
  const pods = [...before.pods.filter(({ uid }) => uid !== by.uid), { uid: by.uid, pod: by.pod }];
  const ttl = Math.floor(by.now / 1000) + retentionSeconds;
  return {
    kind: 'Put',
    row: { ...inFlightKey(state.cluster, scope), pods, ver: ver + 1, ttl },
    when: ver === 0 ? absent('ver') : compare('ver', '=', ver),
  };
}
