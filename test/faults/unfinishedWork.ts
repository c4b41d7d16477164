// Work that the table still has: unfinished, overdue, or out of reach of every sweep.
import { dueIndex } from '../../lib/contract.ts';
import type { Instant, Milliseconds } from '../../lib/model/time.ts';
import { kindOfDue } from '../../lib/state/dueIndex.ts';
import { isSpreadMark } from '../../lib/state/listKeys.ts';
import type { Row } from '../../lib/table.ts';

/** Two sweeps, the half minute after which a message counts as lost, and the time of the work itself. */
const overdueAfter: Milliseconds = 180_000;

/** Entries of these kinds recur while their rule exists; every other entry is removed once its work is done. */
const lastLook: Readonly<Record<string, (row: Row) => unknown>> = {
  /** The time at which the report will be written; the report removes it. */
  REPORT: ({ reportAt }) => reportAt,
  /** The time at which the plan was counted. */
  PLANS: ({ at }) => at,
  LIMITERS: (row) => row[dueIndex.time],
};

/** One line for each item of work. */
export function unfinishedWork(rows: readonly Row[], now: Instant): readonly string[] {
  const due = rows.filter((row) => row[dueIndex.partition] !== undefined);
  const late = due.filter((row) => {
    const since = lastLook[kindOfDue(row)];
    return since === undefined || !(Number(since(row)) > now - overdueAfter);
  });
  return [...late.map(({ pk, sk, ...row }) => `${pk} ${sk}, due at ${row[dueIndex.time]}`), ...listedInVain(rows, due)];
}

/** Listings whose limiter is never due, or whose pod does not exist. */
function listedInVain(rows: readonly Row[], due: readonly Row[]): readonly string[] {
  const known = new Set(due.map(({ pk, sk }) => `${pk} ${sk}`));
  const pods = new Set(rows.flatMap((row) => (row.mirror === 'Live' && kindOfDue(row) === 'POD' ? [row.uid] : [])));
  // The marks of a list that is spread stay until they expire.
  const listings = rows.filter((row) => kindOfDue(row) === 'LIMITER' && !isSpreadMark(row.sk));
  return listings.flatMap(({ pk, sk, uid }) => {
    const control = pk.replace(/#LIMITER#([^#]*)(#\d+)?$/, '#LIMITERS $1');
    if (!known.has(control)) return [`${pk} ${sk}: no sweep looks at the limiter`];
    return pods.has(uid) ? [] : [`${pk} ${sk}: pod ${uid} is not there`];
  });
}
