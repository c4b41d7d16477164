// Sends what is due to the stage that looks at it, and has it looked at again later; it reads no row and does no work itself.
import type { Instant, Milliseconds } from '../model/time.ts';
import { dueShards, postponeDue, readDueEntries } from '../state/dueIndex.ts';
import type { State } from '../state/state.ts';
import type { DueRow } from '../table.ts';
import type { StepDependencies } from './step.ts';

/** Entries of one message, and of one page. */
const pageSize = 100;

/** Pages of a shard in one run; the rest is due a minute later as well. */
const mostPages = 10;

/** Whoever looks at the row finishes it or sets a time of its own. */
const lookAgainAfter: Milliseconds = 2 * 60_000;

export async function sweepDue(deps: StepDependencies, state: State, now: Instant): Promise<void> {
  await Promise.all(dueShards.map((shard) => sweepShard(deps, state, { shard, now })));
}

async function sweepShard(
  deps: StepDependencies,
  state: State,
  { shard, now }: { readonly shard: number; readonly now: Instant },
): Promise<void> {
  let after: DueRow | undefined;
  for (let page = 0; page < mostPages; page++) {
    const found = await readDueEntries(state, { shard, now, limit: pageSize, ...(after ? { after } : {}) });
    const rows = found.rows.map(({ pk, sk }) => ({ pk, sk }));
    if (rows.length > 0) await deps.queues.sendDue([{ cluster: state.cluster, rows }]);
    await Promise.all(found.rows.map((row) => postponeDue(state, row, now + lookAgainAfter)));
    after = found.next;
    if (!after) return;
  }
}
