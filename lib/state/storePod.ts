// Stores what the API server shows of a pod, with the index rows of its claims, and says whether its pod needs an evaluation.
import { isSame } from '../decide/same.ts';
import type { Pod } from '../model/objects.ts';
import type { Row } from '../table.ts';
import { indexPod, unindexPod } from './claimRows.ts';
import { podRowKey } from './keys.ts';
import { type PodRow, readPodRow } from './podRows.ts';
import { replaceObject } from './replaceObject.ts';
import { isLive, type State, type Stored, type Storing } from './state.ts';

/**
 * Storing a pod moves the ledger's version, so that a verdict from before it loses. A pod that is gone leaves a tombstone
 * with its last state; an absent row means "not seen yet", never "gone".
 */
export async function storePod(
  state: State,
  pod: Pod,
  how: Storing & {
    /**
     * No rule keeps a plan and, of a pod that is gone, no policy counts pods in flight: then a pod whose eviction is under way has
     * nothing to be evaluated for when it terminates.
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
      // The step that changed the row meanwhile may have evaluated it for a rule that was not there yet.
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

/** Every evaluation leaves the ledger of an eviction under way as it is. */
function isUnderWay(before: PodRow, pod: Pod): boolean {
  const { ledger, shadow } = before;
  const isIntended = ledger?.podUid === pod.uid && ['Deleting', 'Evicted', 'Gone'].includes(ledger.state);
  return isIntended && !shadow && isLive(before) && before.uid === pod.uid;
}

/** What an eviction does to its pod until it is gone. */
function onlyTerminates({ object }: PodRow, pod: Pod): boolean {
  const content = ({ resourceVersion: _, deletionTimestamp: __, ...rest }: Pod) => rest;
  return pod.deletionTimestamp !== undefined && isSame(content(object), content(pod));
}
