// Once a minute: every limiter is looked at again, and whatever a lost message left undone is set going.
import type { ClusterName } from '../model/identity.ts';
import { forgetIdleLimiters } from '../state/limiterRows.ts';
import { readLostReports } from '../state/reportRows.ts';
import { readRules } from '../state/ruleRows.ts';
import { refanOut } from './refanOut.ts';
import type { StepDependencies } from './step.ts';

/** A report this late has lost its message. */
const lostReportAfter = 30_000;

export async function sweep(deps: StepDependencies, cluster: ClusterName): Promise<void> {
  const state = { table: deps.table, cluster };
  const now = deps.clock.now();
  const [limiters, lost, rules] = await Promise.all([
    forgetIdleLimiters(state, now),
    readLostReports(state, now - lostReportAfter),
    readRules(state),
  ]);
  await deps.queues.sendPace(limiters.map((limiter) => ({ cluster, limiter })));
  await deps.queues.sendReport(lost.map((rule) => ({ cluster, rule })));
  for (const row of rules.rows.filter((one) => one.dirty && one.dirty.length > 0)) await refanOut(deps, state, row);
}
