// Finds out what became of an eviction that was interrupted: its record stands open, and the live pod tells.
import { formatEviction } from '../decide/eventText.ts';
import type { EvictionTask } from '../model/eviction.ts';
import type { Instant, Milliseconds } from '../model/time.ts';
import { forgetIntent } from '../state/intentRows.ts';
import { type PodRow, readPod } from '../state/podRows.ts';
import { type EvictionRecord, readRecord } from '../state/readRecord.ts';
import { closeRecord } from '../state/recordRows.ts';
import { askForReports } from './announce.ts';
import { unseat } from './canary.ts';
import { rulesOf } from './evaluatePods.ts';
import { finish } from './finish.ts';
import { takeOver } from './judge.ts';
import { putBack } from './putBack.ts';
import type { ClusterStepDependencies, Turn } from './step.ts';

/** An intent that stands open for so long was interrupted: longer than an evictor's lease. */
export const interruptedAfter: Milliseconds = 30_000;

const stillThere = 'interrupted before its DELETE; the pod is still there';

/** Deletes nobody and marks nobody, so that it may run while everything is paused. Throws where the API server cannot tell. */
export async function settle(deps: ClusterStepDependencies, turn: Turn, { pod, slot }: EvictionTask): Promise<void> {
  const record = await readRecord(turn.state, pod.uid);
  const now = deps.clock.now();
  if (record?.outcome !== 'Open') return forgetIntent(turn.state, { pod, openedAt: slot });
  if (record.openedAt > now - interruptedAfter) return;
  const held = await holdRow(deps, turn, { record, now });
  if (held === 'Busy') return;
  const found = await turn.access.evictor.look(pod);
  deps.log.warn('interrupted eviction', {
    cluster: turn.state.cluster,
    pod: `${pod.namespace}/${pod.name}`,
    uid: pod.uid,
    found: found.kind,
  });
  deps.metrics.add('SweepRepaired', 1, turn.state.cluster);
  switch (found.kind) {
    case 'Present':
      await abandon(deps, turn, { record, row: held });
      break;
    case 'Gone':
      await turn.access.events.record(formatEviction({ pod, ledger: record, at: now }));
      await finish(deps, turn.state, {
        pod: { ...pod, ...(held?.object.nodeName === undefined ? {} : { nodeName: held.object.nodeName }) },
        ledger: record,
        row: held,
        outcome: 'OutcomeUnknown',
        openedAt: record.openedAt,
        why: 'interrupted; the pod was gone or terminating when it was looked for',
      });
      break;
    case 'RetryLater':
    case 'Refused':
      throw new Error(`pod ${pod.namespace}/${pod.name}: ${found.why}`);
    default:
      return found satisfies never;
  }
  await askForReports(deps, turn.state, rulesOf(record));
}

/** The pod's row under a lease of our own; `undefined` where it is another pod's, or says no more that this one is being deleted. */
async function holdRow(
  deps: ClusterStepDependencies,
  turn: Turn,
  { record: { pod } }: { readonly record: EvictionRecord; readonly now: Instant },
): Promise<PodRow | 'Busy' | undefined> {
  const row = await readPod(turn.state, `${pod.namespace}/${pod.name}`);
  if (row?.uid !== pod.uid || row.ledger?.podUid !== pod.uid || row.ledger.state !== 'Deleting') return undefined;
  const taken = await takeOver(deps, turn, row);
  return taken.kind === 'Go' ? taken.row : 'Busy';
}

async function abandon(
  deps: ClusterStepDependencies,
  turn: Turn,
  { record, row }: { readonly record: EvictionRecord; readonly row: PodRow | undefined },
): Promise<void> {
  if (row) {
    await putBack(deps, turn, { row, why: stillThere });
    return;
  }
  const { pod, openedAt } = record;
  const now = deps.clock.now();
  await turn.state.table.transact([
    ...closeRecord(turn.state, pod, { outcome: 'Abandoned', why: stillThere, openedAt, now }),
    ...unseat(turn.state, record.reservation, { uid: pod.uid, deleted: false, now }),
  ]);
}
