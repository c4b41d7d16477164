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
    /** No rule keeps a plan: then a pod whose eviction is under way has nothing to be evaluated for when it begins to terminate. */
    readonly hasNoPlans?: Promise<boolean>;
  },
): Promise<Stored<PodRow> & { readonly isEvaluated?: boolean }> {
  const { hasNoPlans, ...storing } = how;
  const key = `${pod.namespace}/${pod.name}`;
  const rowKey = podRowKey(state.cluster, key);
  const { seen, gone } = how;
  let [asked, isFree] = [false, false];
  const isSettled = (row: Row | undefined) => {
    const before = readPodRow(row, key);
    return gone === undefined && isFree && row?.dirty !== true && before !== undefined && onlyTerminates(before, pod);
  };
  const stored = await replaceObject<Pod, boolean>(state, {
    ...storing,
    rowKey,
    key,
    object: pod,
    async first(before) {
      // The step that changed the row meanwhile may have evaluated it for a rule that was not there yet.
      isFree = !asked && (await hasNoPlans) === true;
      asked = true;
      if (gone === undefined) await indexPod(state, pod, { before, seen });
    },
    dirty: (_, __, row) => !isSettled(row),
  });
  if (gone !== undefined) await unindexPod(state, pod, seen);
  const row = stored.kind === 'Stored' ? readPodRow(stored.raw, key) : undefined;
  return row ? { kind: 'Stored', row, isEvaluated: stored.kind === 'Stored' && !stored.row.dirty } : { kind: 'Stale' };
}

/** What an eviction under way does to its pod: every evaluation leaves the ledger as it is. */
function onlyTerminates(before: PodRow, pod: Pod): boolean {
  const { ledger, shadow, object } = before;
  const isUnderWay = ledger?.podUid === pod.uid && ['Deleting', 'Evicted', 'Gone'].includes(ledger.state);
  if (!isUnderWay || shadow || !isLive(before) || before.uid !== pod.uid) return false;
  const content = ({ resourceVersion: _, deletionTimestamp: __, ...rest }: Pod) => rest;
  return pod.deletionTimestamp !== undefined && isSame(content(object), content(pod));
}
