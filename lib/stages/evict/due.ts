// Looks at a row that is due: a limiter that lists pods, or an intent that is open for too long.
import type { LimiterId } from '../../model/eviction.ts';
import type { DueMessage } from '../../model/message.ts';
import { sourcesOfLimiter } from '../../model/ownership.ts';
import { kindOfDue } from '../../state/dueIndex.ts';
import { intentOf } from '../../state/intentRows.ts';
import { postponeLimiter, readListedPage } from '../../state/limiterRows.ts';
import { isWatched } from '../../state/liveness.ts';
import { currentRules } from '../../state/neighbourhood.ts';
import { announce, askForReports, rulesPacedBy } from '../../steps/announce.ts';
import { evaluatePods } from '../../steps/evaluatePods.ts';
import { modesNow } from '../../steps/ownedSnapshot.ts';
import { reach } from '../../steps/reach.ts';
import type { EvictDependencies, Turn } from '../../steps/step.ts';
import { evict } from './run.ts';
import { settle } from './settle.ts';

export async function lookAtDue(deps: EvictDependencies, { cluster, rows }: DueMessage): Promise<void> {
  const turn = await reach(deps, { cluster });
  if (turn.kind !== 'Reached') return;
  for (const key of rows) {
    if (kindOfDue(key) === 'LIMITERS') await lookAtLimiter(deps, turn, key.sk);
    else {
      const row = await turn.state.table.get(key);
      if (row) await settle(deps, turn, intentOf(row));
    }
  }
}

async function lookAtLimiter(deps: EvictDependencies, turn: Turn, limiter: LimiterId): Promise<void> {
  const { state } = turn;
  const now = deps.clock.now();
  if ((await postponeLimiter(state, limiter, now)) === 'NobodyDue') return;
  const modes = await modesNow(deps, state);
  if (sourcesOfLimiter(limiter).some((source) => modes[source] !== 'own')) await evaluateListed(deps, turn, limiter);
  // Nothing else asks while no pod is evicted.
  if (!(await isWatched(state, now)))
    await askForReports(deps, state, rulesPacedBy([limiter], await currentRules(state)));
  await evict(deps, { cluster: state.cluster, limiter });
}

/** An evaluation that was under way during a switch, or with the configuration before it, may have listed pods once more. */
async function evaluateListed(deps: EvictDependencies, { state }: Turn, limiter: LimiterId): Promise<void> {
  let after: string | undefined;
  do {
    const page = await readListedPage(state, limiter, after);
    const pods = page.rows.map(({ pod }) => pod);
    await announce(deps, state, await evaluatePods(deps, { state, pods }));
    after = page.next;
  } while (after !== undefined);
}
