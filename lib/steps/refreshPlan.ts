// Looks at one rule's plan again: pods, budgets, free devices; stores it, and writes its numbers into the rule's status.
import { conditionToWrite } from '../decide/condition.ts';
import { planGround, planRule } from '../decide/livePlan.ts';
import { evictionPlan, type NamespaceBudgets, planCondition, summarize, withBudgets } from '../decide/planReport.ts';
import { awaitsApproval, type Hold } from '../model/hold.ts';
import type { PlannedPod } from '../model/plan.ts';
import { ruleRef, type TaintRule } from '../model/rule.ts';
import type { LiveRule } from '../ports.ts';
import { readClusterSnapshot } from '../state/clusterSnapshot.ts';
import { isWatched } from '../state/liveness.ts';
import { dropPlan, readPlan, storePlan } from '../state/planRows.ts';
import type { State } from '../state/state.ts';
import { checkWritten } from './checkWritten.ts';
import { mapParallel } from './mapParallel.ts';
import type { ClusterAccess, ClusterStepDependencies, ComeBack, ReportedRule } from './step.ts';

/** Namespaces whose budgets are read at the same time. */
const parallelReads = 4;

/** What the table says of a silent cluster is old: the last plan stays, with its time. */
export async function refreshPlan(
  deps: ClusterStepDependencies,
  state: State,
  live: ReportedRule & { readonly hold: Hold | undefined },
): Promise<ComeBack | undefined> {
  const { rule, access, hold } = live;
  const ref = ruleRef(rule);
  const before = await readPlan(state, ref);
  const now = deps.clock.now();
  const isPlanned = (one: TaintRule) => {
    const ground = planGround(one, { settings: deps.settings, now });
    return ground === 'Standing' || (ground === 'PerhapsUnapproved' && awaitsApproval(hold));
  };
  if (!live.taints.some(isPlanned)) return endPlan(deps, state, { ...live, isStored: before !== undefined });
  if (!(await isWatched(state, now))) return undefined;
  const snapshot = await readClusterSnapshot(state, deps.settings);
  // With the expressions of its class, which only the table has.
  const isSameVersion = (one: TaintRule) => one.uid === rule.uid && one.generation === rule.generation;
  const [first, ...others] = snapshot.rules.filter((one) => isSameVersion(one) && isPlanned(one));
  if (!first) return undefined;
  const { pods: planned, ...plan } = planRule([first, ...others], snapshot, now);
  const pods = withBudgets(planned, await readBudgets(access, planned));
  const summary = summarize(plan, pods);
  const { uid, generation } = rule;
  const stored = await storePlan(state, { rule: ref, uid, generation, at: now, summary, pods }, before);
  if (stored === 'Lost') return { kind: 'ComeBack', seconds: 1 };
  const previous = live.conditions.find((condition) => condition.type === evictionPlan);
  const next = conditionToWrite(planCondition(summary, generation), { ...(previous ? { previous } : {}), now });
  if (next.kind === 'Same') return undefined;
  if (next.kind === 'Throttled') return { kind: 'ComeBack', seconds: Math.ceil((next.until - now) / 1000) };
  const written = await access.ruleStatus.apply(rule, [next.condition], 'plan');
  checkWritten(deps, state, { object: ruleRef(rule), written });
  return undefined;
}

/** The rule evicts now, or no longer asks: a plan that nobody keeps up would be believed. */
async function endPlan(
  deps: ClusterStepDependencies,
  state: State,
  { rule, access, conditions, isStored }: LiveRule & { readonly access: ClusterAccess; readonly isStored: boolean },
): Promise<undefined> {
  if (isStored) await dropPlan(state, ruleRef(rule));
  if (!conditions.some((condition) => condition.type === evictionPlan)) return;
  const written = await access.ruleStatus.apply(rule, [], 'plan');
  checkWritten(deps, state, { object: ruleRef(rule), written });
}

async function readBudgets(
  { budgets }: ClusterAccess,
  pods: readonly PlannedPod[],
): Promise<ReadonlyMap<string, NamespaceBudgets>> {
  const namespaces = [...new Set(pods.map(({ pod }) => pod.namespace))];
  const found = await mapParallel(namespaces, parallelReads, async (namespace): Promise<NamespaceBudgets> => {
    const answer = await budgets.read(namespace);
    return answer.kind === 'Known' ? answer : { kind: 'Unknown', why: answer.why };
  });
  return new Map(namespaces.flatMap((namespace, i) => (found[i] ? [[namespace, found[i]] as const] : [])));
}
