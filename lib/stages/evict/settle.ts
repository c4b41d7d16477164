// Settles interrupted evictions: open records are closed, or their pods put back, according to the live pod.
import { formatEviction } from '../../decide/eventText.ts';
import { type PodRow, readPod, writeLedger } from '../../state/podRows.ts';
import type { EvictionRecord } from '../../state/readRecord.ts';
import { closeRecord, interruptedAfter } from '../../state/recordRows.ts';
import { askForReports } from '../../steps/announce.ts';
import { unseat } from '../../steps/canary.ts';
import { rulesOf } from '../../steps/evaluatePods.ts';
import type { EvictDependencies, Turn } from '../../steps/step.ts';
import { wakeLimiters } from '../../steps/wakes.ts';
import { actsAloneFor } from './begin.ts';
import { finish } from './finish.ts';
import { putBack } from './putBack.ts';

const stillThere = 'interrupted before its DELETE; the pod is still there';

/** Sends no PATCH and no DELETE, so it may run while everything is paused. Throws where the live pod cannot be read. */
export async function settle(deps: EvictDependencies, turn: Turn, record: EvictionRecord): Promise<void> {
  const now = deps.clock.now();
  const { pod } = record;
  if (record.outcome !== 'Open' || record.openedAt > now - interruptedAfter) return;
  const { cluster } = turn.state;
  deps.metrics.add('IntentsInterrupted', 1, cluster);
  const held = await holdRow(deps, turn, record);
  if (held === 'Busy') return;
  const found = await turn.access.evictor.look(pod);
  deps.log.warn('interrupted eviction', {
    cluster,
    pod: `${pod.namespace}/${pod.name}`,
    uid: pod.uid,
    found: found.kind,
  });
  deps.metrics.add('SweepRepaired', 1, cluster);
  switch (found.kind) {
    case 'Present':
      await abandon(deps, turn, { record, row: held });
      break;
    case 'Gone':
      await turn.access.events.record(formatEviction({ pod, ledger: record, at: now }));
      await finish(deps, turn.state, {
        pod,
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

/** Takes a lease on the pod's row; `undefined` where the row is another pod's, or shows no deletion under way. */
async function holdRow(
  deps: EvictDependencies,
  turn: Turn,
  { pod }: EvictionRecord,
): Promise<PodRow | 'Busy' | undefined> {
  const row = await readPod(turn.state, `${pod.namespace}/${pod.name}`);
  if (row?.uid !== pod.uid || row.ledger?.podUid !== pod.uid || row.ledger.state !== 'Deleting') return undefined;
  const now = deps.clock.now();
  if ((row.ledger.leaseUntil ?? 0) > now) return 'Busy';
  const ledger = { ...row.ledger, leaseUntil: now + actsAloneFor };
  const written = await writeLedger(turn.state, row, { ledger, now });
  return written.kind === 'Written' ? written.row : 'Busy';
}

/** Puts the pod back; its old token is never used again. */
async function abandon(
  deps: EvictDependencies,
  turn: Turn,
  { record, row }: { readonly record: EvictionRecord; readonly row: PodRow | undefined },
): Promise<void> {
  const now = deps.clock.now();
  if (row) {
    await putBack(deps, turn, { row, why: stillThere });
    await wakeLimiters(
      deps,
      turn.state,
      new Map((row.ledger?.listings ?? []).map(({ limiter, dueAt }) => [limiter, Math.max(dueAt, now)])),
    );
    return;
  }
  const { pod, openedAt } = record;
  await turn.state.table.transact([
    ...closeRecord(turn.state, pod, { outcome: 'Abandoned', why: stillThere, openedAt, now }),
    ...unseat(turn.state, record.token, { uid: pod.uid, deleted: false, now }),
  ]);
}
