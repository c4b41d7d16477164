// Once a minute: every limiter is looked at again, and whatever a lost message left undone is set going.
import { gaugesEveryMinutes } from '../contract.ts';
import { picksByState } from '../decide/deviceMatch.ts';
import { planGround } from '../decide/livePlan.ts';
import type { LimiterId } from '../model/eviction.ts';
import type { ClusterId } from '../model/identity.ts';
import { sourceOfKind, sourcesOfLimiter } from '../model/ownership.ts';
import { ruleRef, type TaintRule } from '../model/rule.ts';
import type { Instant } from '../model/time.ts';
import { interruptedAfter, readIntents } from '../state/intentRows.ts';
import { forgetIdleLimiters } from '../state/limiterRows.ts';
import { isWatched } from '../state/liveness.ts';
import { readLostReports } from '../state/reportRows.ts';
import { liveTaintRules, readRules } from '../state/ruleSetRows.ts';
import type { State } from '../state/state.ts';
import { askForReports, rulesPacedBy } from './announce.ts';
import { countGauges } from './countGauges.ts';
import { sweepDeserted } from './deserted.ts';
import { askForPlans } from './movedPlans.ts';
import { modesNow } from './ownedSnapshot.ts';
import { askForReleases } from './releaseClaim.ts';
import { checkShadows } from './shadowPods.ts';
import type { StepDependencies } from './step.ts';
import { sweepDue } from './sweepDue.ts';
import { sweepExpiry } from './sweepExpiry.ts';
import { sweepStanding } from './sweepStanding.ts';
import { recheckUnowned, switchModes } from './switchModes.ts';
import { wakeLimiters } from './wakes.ts';

/** A report this late has lost its message. */
const lostReportAfter = 30_000;

/** Pods of one message: all are looked for at once. */
const settledAtOnce = 10;

/** Of one incarnation. */
export async function sweep(deps: StepDependencies, cluster: ClusterId): Promise<void> {
  const state = { table: deps.table, cluster };
  const now = deps.clock.now();
  await switchModes(deps, state, { mayPlan: true });
  const [limiters, lost, rules] = await Promise.all([
    forgetIdleLimiters(state, now),
    readLostReports(state, now - lostReportAfter),
    readRules(state),
  ]);
  const modes = await modesNow(deps, state);
  const isUnowned = (limiter: LimiterId) => sourcesOfLimiter(limiter).some((source) => modes[source] !== 'own');
  if (modes.native === 'shadow' || modes.paced === 'shadow') await checkShadows(deps, state, now);
  await recheckUnowned(deps, state, limiters.filter(isUnowned));
  await wakeLimiters(deps, state, new Map(limiters.map((limiter) => [limiter, now])));
  if (Math.floor(now / 60_000) % gaugesEveryMinutes === 0) await countGauges(deps, state);
  await askToSettle(deps, state, now);
  // Nothing else asks while nobody goes.
  if (!(await isWatched(state, now))) await askForReports(deps, state, rulesPacedBy(limiters, liveTaintRules(rules)));
  await deps.queues.sendReport(lost.map((one) => ({ cluster, ...one })));
  // Claims of other pods and disruption budgets move a plan's numbers without touching one of its pods.
  const mayStand = (rule: TaintRule) => planGround(rule, { settings: deps.settings, now }) !== undefined;
  await askForPlans(deps, state, new Set(liveTaintRules(rules).filter(mayStand).map(ruleRef)));
  // Devices that nobody uses move no pod, and may still have to be told to the scheduler.
  const followed = liveTaintRules(rules).filter(({ deviceSelector }) => deviceSelector && picksByState(deviceSelector));
  if (deps.settings.projectRules) await askForReports(deps, state, new Set(followed.map(ruleRef)));
  await sweepExpiry(
    deps,
    cluster,
    rules.rows.flatMap(({ gone, object }) => (gone || modes[sourceOfKind(object.kind)] !== 'own' ? [] : object)),
  );
  await sweepStanding(deps, state, rules);
  await sweepDeserted(state, rules, now);
  await askForReleases(deps, state);
  await sweepDue(deps, state, now);
}

/** Whoever holds credentials for the API server looks for the pods of intents that were interrupted. */
async function askToSettle(deps: StepDependencies, state: State, now: Instant): Promise<void> {
  const intents = await readIntents(state, now - interruptedAfter);
  for (let i = 0; i < intents.length; i += settledAtOnce)
    await deps.queues.sendSettle([{ cluster: state.cluster, intents: intents.slice(i, i + settledAtOnce) }]);
}
