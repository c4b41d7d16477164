// Runs once a minute per cluster: sends every due row to the stage that processes it, and sets a later due time.
import { gaugesEveryMinutes } from '../../contract.ts';
import type { ClusterId } from '../../model/identity.ts';
import type { Instant, Milliseconds } from '../../model/time.ts';
import { dueShards, postponeDue, readDueEntries, stageOfDue } from '../../state/dueIndex.ts';
import type { State } from '../../state/state.ts';
import { requestGauges } from '../../steps/countGauges.ts';
import type { StepDependencies } from '../../steps/step.ts';
import { requestDueSwitch } from '../../steps/switchModes.ts';
import type { DueRow } from '../../table.ts';

/** Entries per page. */
const pageSize = 100;

/** Pages per shard and run; the rest is sent one minute later. */
const mostPages = 10;

/** Below the sweep's period; the step that processes the row finishes it or sets another time. */
const lookAgainAfter: Milliseconds = 50_000;

export async function sweep(deps: StepDependencies, cluster: ClusterId): Promise<void> {
  const state = { table: deps.table, cluster, memory: deps.memory };
  const now = deps.clock.now();
  await Promise.all(dueShards.map((shard) => sweepShard(deps, state, { shard, now })));
  // Configured modes are not in the table, and may have changed while the watcher is silent.
  await requestDueSwitch(deps, state);
  if (Math.floor(now / 60_000) % gaugesEveryMinutes === 0) await requestGauges(deps, state);
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
