// Once a minute for each cluster: sends what is due to the stage that looks at it, whatever it is, and has it looked at again later.
import { gaugesEveryMinutes } from '../../contract.ts';
import type { ClusterId } from '../../model/identity.ts';
import type { Instant, Milliseconds } from '../../model/time.ts';
import { dueShards, postponeDue, readDueEntries, stageOfDue } from '../../state/dueIndex.ts';
import type { State } from '../../state/state.ts';
import { countGauges } from '../../steps/countGauges.ts';
import type { StepDependencies } from '../../steps/step.ts';
import { switchModes } from '../../steps/switchModes.ts';
import type { DueRow } from '../../table.ts';

/** Entries of one page. */
const pageSize = 100;

/** Pages of a shard in one run; the rest is due a minute later as well. */
const mostPages = 10;

/** Below the sweep's period: the step that looks at the row finishes it or sets another time. */
const lookAgainAfter: Milliseconds = 50_000;

export async function sweep(deps: StepDependencies, cluster: ClusterId): Promise<void> {
  const state = { table: deps.table, cluster, memory: deps.memory };
  const now = deps.clock.now();
  await Promise.all(dueShards.map((shard) => sweepShard(deps, state, { shard, now })));
  // What is configured stands in no row, and may have changed while no watcher is heard.
  await switchModes(deps, state, { mayPlan: true });
  if (Math.floor(now / 60_000) % gaugesEveryMinutes === 0) await countGauges(deps, state);
}

async function sweepShard(
  deps: Pick<StepDependencies, 'queues'>,
  state: State,
  { shard, now }: { readonly shard: number; readonly now: Instant },
): Promise<void> {
  let after: DueRow | undefined;
  for (let page = 0; page < mostPages; page++) {
    const found = await readDueEntries(state, { shard, now, limit: pageSize, ...(after ? { after } : {}) });
    for (const [stage, rows] of Map.groupBy(found.rows, stageOfDue))
      await deps.queues.sendDue([{ stage, cluster: state.cluster, rows: rows.map(({ pk, sk }) => ({ pk, sk })) }]);
    await Promise.all(found.rows.map((row) => postponeDue(state, row, now + lookAgainAfter)));
    after = found.next;
    if (!after) return;
  }
}
