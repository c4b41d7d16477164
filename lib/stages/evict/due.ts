// Processes a due row: a limiter that lists pods, or an intent that has been open too long.
import type { LimiterId } from '../../model/eviction.ts';
import type { DueMessage } from '../../model/message.ts';
import { sourcesOfLimiter } from '../../model/ownership.ts';
import { currentRules } from '../../state/currentRules.ts';
import { kindOfDue } from '../../state/dueIndex.ts';
import { intentOf } from '../../state/intentRows.ts';
import { postponeLimiter } from '../../state/limiterRows.ts';
import { readListedPage } from '../../state/listedRows.ts';
import { isWatched } from '../../state/liveness.ts';
import { type EvictionRecord, readRecord, recordOf } from '../../state/readRecord.ts';
import { endDue } from '../../state/recordRows.ts';
import type { State } from '../../state/state.ts';
import { announce, askForReports, rulesPacedBy } from '../../steps/announce.ts';
import { evaluatePods } from '../../steps/evaluatePods.ts';
import { modesNow } from '../../steps/ownedSnapshot.ts';
import { reach } from '../../steps/reach.ts';
import type { EvictDependencies, Turn } from '../../steps/step.ts';
import { compare, type Key } from '../../table.ts';
import { evict } from './run.ts';
import { settle } from './settle.ts';

export async function lookAtDue(deps: EvictDependencies, { cluster, rows }: DueMessage): Promise<void> {
  const turn = await reach(deps, { cluster });
  if (turn.kind !== 'Reached') return;
  for (const key of rows) {
    if (kindOfDue(key) === 'LIMITERS') await lookAtLimiter(deps, turn, key.sk);
    else {
      const record = await openRecordOf(turn.state, key);
      if (record) await settle(deps, turn, record);
    }
  }
}

/** The open record of a due row. Rows of releases up to 0.2 hold the intent themselves; they are deleted once settled. */
async function openRecordOf(state: State, key: Key): Promise<EvictionRecord | undefined> {
  const row = await state.table.get(key);
  if (!row) return undefined;
  const isRecord = kindOfDue(key) === 'RECORD';
  const { pod, openedAt } = intentOf(row);
  const record = isRecord ? recordOf(row) : await readRecord(state, pod.uid);
  if (record?.outcome === 'Open') return record;
  if (isRecord) await endDue(state, key);
  else await state.table.write({ kind: 'Delete', key, when: compare('openedAt', '=', openedAt) });
  return undefined;
}

async function lookAtLimiter(deps: EvictDependencies, turn: Turn, limiter: LimiterId): Promise<void> {
  const { state } = turn;
  const now = deps.clock.now();
  if ((await postponeLimiter(state, limiter, now)) === 'NobodyDue') return;
  const modes = await modesNow(deps, state);
  if (sourcesOfLimiter(limiter).some((source) => modes[source] !== 'own')) await evaluateListed(deps, turn, limiter);
  // While no pod is evicted, nothing else requests these reports.
  if (!(await isWatched(state, now)))
    await askForReports(deps, state, rulesPacedBy([limiter], await currentRules(state)));
  await evict(deps, { cluster: state.cluster, limiter });
}

/** Re-evaluates listed pods: an evaluation that ran during a mode switch or with the old configuration may have listed some. */
async function evaluateListed(deps: EvictDependencies, { state }: Turn, limiter: LimiterId): Promise<void> {
  let after: string | undefined;
  do {
    const page = await readListedPage(state, limiter, after);
    const pods = page.rows.map(({ pod }) => pod);
    await announce(deps, state, await evaluatePods(deps, { state, pods }));
    after = page.next;
  } while (after !== undefined);
}
