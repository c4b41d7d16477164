// What keeps the whole cluster from evicting, for the conditions of a rule: one reading for all that a report writes.
import { clusterPauseHold } from '../../decide/hold.ts';
import { effectOf } from '../../decide/ruleTaints.ts';
import type { Hold } from '../../model/hold.ts';
import { ruleLimiter } from '../../model/rule.ts';
import { stoppedText } from '../../model/stop.ts';
import type { Instant } from '../../model/time.ts';
import { countListed } from '../../state/listedCounts.ts';
import type { State } from '../../state/state.ts';
import { readClusterFacts } from '../../steps/limiterFacts.ts';
import type { ClusterStepDependencies, ReportedRule } from '../../steps/step.ts';
import { findStops, type StopsSeen } from '../../steps/stops.ts';

export interface ClusterHold {
  readonly stops: StopsSeen;
  /** Absent where neither a stop nor a pause of the cluster holds the rule. */
  readonly hold?: Hold;
}

/** `since`: what was read before the report began may be from before the stop or pause that the report is about. */
export async function readClusterHold(
  deps: ClusterStepDependencies,
  state: State,
  { rule, taints, access, since }: Pick<ReportedRule, 'rule' | 'taints' | 'access'> & { readonly since: Instant },
): Promise<ClusterHold> {
  const now = deps.clock.now();
  if (effectOf(rule) !== 'NoExecute') return { stops: { kind: 'None', readAt: now } };
  const [stops, { value }] = await Promise.all([
    findStops({ state, access }, now, now - since),
    readClusterFacts(deps, state, now - since),
  ]);
  const hold = (await stopHold(state, stops, taints)) ?? clusterPauseHold(value.pauses);
  return { stops, ...(hold ? { hold } : {}) };
}

/** For a plan, whatever the effect of its rule: whether a stop or a pause keeps the whole cluster from evicting. */
export async function isClusterStopped(
  deps: ClusterStepDependencies,
  state: State,
  access: ReportedRule['access'],
): Promise<boolean> {
  const [stops, { value }] = await Promise.all([
    findStops({ state, access }, deps.clock.now()),
    readClusterFacts(deps, state),
  ]);
  return (stops.kind === 'Stopped' && stops.read === undefined) || value.pauses.length > 0;
}

async function stopHold(state: State, stops: StopsSeen, taints: ReportedRule['taints']): Promise<Hold | undefined> {
  if (stops.kind === 'None') return undefined;
  // Without pods nothing reports the rule again once EvictionStops can be read.
  if (stops.read !== undefined && !(await isListed(state, taints))) return undefined;
  return { reason: 'Stopped', message: stoppedText(stops.why) };
}

async function isListed(state: State, taints: ReportedRule['taints']): Promise<boolean> {
  const { pods } = await countListed(state, taints.map(ruleLimiter), { isEnough: ({ pods: found }) => found > 0 });
  return pods > 0;
}
