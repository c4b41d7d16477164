// Deletes the rows of an earlier incarnation of a cluster, a part each minute; keeps the records of its evictions.
import type { ClusterName } from '../../model/identity.ts';
import { clusterIdOf } from '../../model/identity.ts';
import type { Instant, Milliseconds } from '../../model/time.ts';
import { kindOfDue } from '../../state/dueIndex.ts';
import { dependentsOf, partsOf, readPart } from '../../state/earlierRows.ts';
import { type HeardIncarnation, noteRemoval } from '../../state/incarnationRows.ts';
import { intentOf } from '../../state/intentRows.ts';
import { recordOf } from '../../state/readRecord.ts';
import { closeRecord, endDue } from '../../state/recordRows.ts';
import type { State } from '../../state/state.ts';
import { mapParallel } from '../../steps/mapParallel.ts';
import type { StepDependencies } from '../../steps/step.ts';
import type { Key, Row } from '../../table.ts';

const day: Milliseconds = 24 * 60 * 60_000;

/** An incarnation that is silent this long, while another one sends heartbeats, is no longer the cluster's. */
export const silentFor: Milliseconds = day;

/** The current incarnation must have sent a heartbeat within this time. */
const heardNow: Milliseconds = 5 * 60_000;

/** Days on which the removal is repeated: redriven dead letters may write rows again, and are kept for 14 days. */
const times = 15;

const pageSize = 25;

/** Pages per round, including empty ones: an incarnation without rows is finished in one round. */
const mostPages = 120;

/** Rows per round, including dependent rows elsewhere; the page under way is finished. */
const mostRows = 1000;

export async function removeEarlier(
  deps: Pick<StepDependencies, 'table' | 'clock' | 'log' | 'recordDays'>,
  name: ClusterName,
  heard: readonly HeardIncarnation[],
): Promise<void> {
  const now = deps.clock.now();
  const earlier = earlierOf(heard, now);
  if (!earlier) return;
  const state = { table: deps.table, cluster: clusterIdOf(name, earlier.incarnation) };
  const parts = partsOf(state.cluster);
  const { next, times: before = 0 } = earlier.removal ?? {};
  let at = Math.max(
    0,
    parts.findIndex((part) => part.name === next),
  );
  let removed = 0;
  for (let page = 0; page < mostPages && removed < mostRows; page++) {
    const part = parts[at];
    if (!part) break;
    const rows = await readPart(state, part, pageSize);
    if (rows.length === 0) {
      at++;
      continue;
    }
    const noted = await noteRemoval(state, earlier, { removal: { next: part.name, times: before } });
    if (noted === 'Lost') return;
    const counts = await mapParallel(rows, pageSize, (row) => removeRow(state, row, now));
    removed += counts.reduce((sum, count) => sum + count, 0);
  }
  if (at < parts.length) return;
  const ttl = Math.floor((now + deps.recordDays * day) / 1000);
  const isLast = before + 1 >= times;
  await noteRemoval(state, earlier, { removal: { endedAt: now, times: before + 1 }, ...(isLast ? { ttl } : {}) });
  deps.log.info('rows of an earlier incarnation are removed', { cluster: state.cluster });
}

/** An incarnation that is no longer the cluster's, and that still has rows or may have new ones. */
function earlierOf(heard: readonly HeardIncarnation[], now: Instant): HeardIncarnation | undefined {
  const [current, ...others] = heard.toSorted((a, b) => b.heardAt - a.heardAt);
  if (!current || now - current.heardAt > heardNow) return undefined;
  return others.find(({ heardAt, notedAt, removal }) => {
    if (now - Math.max(heardAt, notedAt) < silentFor) return false;
    return removal?.endedAt === undefined || (removal.times < times && now - removal.endedAt >= day);
  });
}

/** Returns the number of deleted rows. Deletes dependent rows first, a page of each partition; the row stays until none is left. */
async function removeRow(state: State, row: Row, now: Instant): Promise<number> {
  const { keys, partitions } = dependentsOf(state, row);
  const pages = await Promise.all(partitions.map((pk) => state.table.query({ pk, limit: pageSize })));
  const found = [...keys, ...pages.flatMap((page) => page.rows)];
  await mapParallel(found, pageSize, (key) => remove(state, key));
  if (pages.some(({ next }) => next !== undefined)) return found.length;
  const isRecord = kindOfDue(row) === 'RECORD';
  if (isRecord || kindOfDue(row) === 'INTENT') await closeUnknown(state, row, now);
  if (!isRecord) await remove(state, row);
  return found.length + 1;
}

async function remove({ table }: State, { pk, sk }: Key): Promise<void> {
  await table.write({ kind: 'Delete', key: { pk, sk } });
}

/** Closes an eviction that was under way as unknown, since its pod can no longer be read. The record stays. */
async function closeUnknown(state: State, row: Row, now: Instant): Promise<void> {
  const intent = kindOfDue(row) === 'INTENT' ? intentOf(row) : recordOf(await state.table.get(row));
  if (!intent) return;
  if ('outcome' in intent && intent.outcome !== 'Open') return endDue(state, row);
  const { pod, openedAt } = intent;
  const why = 'the cluster was created again or restored before the outcome was known';
  await state.table.transact(closeRecord(state, pod, { outcome: 'OutcomeUnknown', why, openedAt, now }));
}
