// Stores a pod and the index rows of its claims, and returns whether the pod must be evaluated.
import { isSame } from '../decide/same.ts';
import type { Pod } from '../model/objects.ts';
import type { Row } from '../table.ts';
import { indexPod, unindexPod } from './claimRows.ts';
import { podRowKey } from './keys.ts';
import { type PodRow, readPodRow } from './podRows.ts';
import { replaceObject } from './replaceObject.ts';
import { isLive, type State, type Stored, type Storing } from './state.ts';

/**
 * Storing a pod changes the row's version, so that the write of an older verdict fails. A deleted pod leaves a tombstone with its
 * last state; a missing row means "not seen yet", never "gone".
 */
export async function storePod(
  state: State,
  pod: Pod,
  how: Storing & {
    /**
     * No rule has a plan and, for a deleted pod, no policy counts pods in flight: then a pod whose eviction is under way need not be
     * evaluated when it terminates.
     */
    readonly isCountedByNone?: Promise<boolean>;
  },
): Promise<Stored<PodRow> & { readonly isEvaluated?: boolean }> {
  const { isCountedByNone, ...storing } = how;
  const key = `${pod.namespace}/${pod.name}`;
  const rowKey = podRowKey(state.cluster, key);
  const { seen, gone } = how;
  let [asked, isFree] = [false, false];
  const isSettled = (row: Row | undefined) => {
    const before = readPodRow(row, key);
    if (!isFree || row?.dirty === true || before === undefined || !isUnderWay(before, pod)) return false;
    return gone !== undefined || onlyTerminates(before, pod);
  };
  const stored = await replaceObject<Pod, boolean>(state, {
    ...storing,
    rowKey,
    key,
    object: pod,
    async first(before) {
      // On a retry: the step that changed the row may have evaluated the pod for a rule that did not exist at the check.
      isFree = !asked && (await isCountedByNone) === true;
      asked = true;
      if (gone === undefined) await indexPod(state, pod, { before, seen });
    },
    dirty: (_, __, row) => !isSettled(row),
  });
  if (gone !== undefined) await unindexPod(state, pod, seen);
  const row = stored.kind === 'Stored' ? readPodRow(stored.raw, key) : undefined;
  return row ? { kind: 'Stored', row, isEvaluated: stored.kind === 'Stored' && !stored.row.dirty } : { kind: 'Stale' };
}

/** No evaluation changes the ledger of an eviction under way. */
function isUnderWay(before: PodRow, pod: Pod): boolean {
  const { ledger, shadow } = before;
  const isIntended = ledger?.podUid === pod.uid && ['Deleting', 'Evicted', 'Gone'].includes(ledger.state);
  return isIntended && !shadow && isLive(before) && before.uid === pod.uid;
}

/** Whether the pod only changed as an evicted pod does: it is terminating. */
function onlyTerminates({ object }: PodRow, pod: Pod): boolean {
  const content = ({ resourceVersion: _, deletionTimestamp: __, ...rest }: Pod) => rest;
  return pod.deletionTimestamp !== undefined && isSame(content(object), content(pod));
}
