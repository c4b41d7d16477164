// Plans evictions for existing or proposed rules against the live cluster, with its PodDisruptionBudgets.
import { createDisruptionBudgets } from '../../adapters/kubernetes/disruptionBudgets.ts';
import { project } from '../../adapters/kubernetes/project.ts';
import { conditionsOf } from '../../adapters/kubernetes/projectRule.ts';
import { type Json, objectOf, textOf } from '../../adapters/kubernetes/read.ts';
import { planRule } from '../../decide/livePlan.ts';
import { approvalAhead, planHold, toldHold } from '../../decide/planHold.ts';
import {
  addBudgets,
  beyondBudgets,
  type NamespaceBudgets,
  noBudgets,
  summarize,
  withBudgets,
} from '../../decide/planReport.ts';
import { countSkipped } from '../../decide/skipped.ts';
import { approveAnnotation } from '../../model/hold.ts';
import type { BudgetedPod, PlannedPod, PlanSummary, RulePlan } from '../../model/plan.ts';
import type { ObjectKind } from '../../model/projection.ts';
import type { AnyRule, TaintRule } from '../../model/rule.ts';
import { Failure, UsageFailure } from '../failure.ts';
import { type Picture, taintsOfRule } from './assemble.ts';
import { nameWritten } from './checkWritten.ts';
import { uidOf } from './objects.ts';
import type { OpenCluster } from './open.ts';
import { timedRule } from './timed.ts';

export interface ShownPlan {
  /** `PacedTaintRule a`. */
  readonly rule: string;
  readonly taints: readonly TaintRule[];
  readonly summary: PlanSummary;
  /** In eviction order. */
  readonly pods: readonly BudgetedPod[];
  /** Pods that it reaches and that eviction mode Skip keeps. */
  readonly skipped: number;
}

type Taints = readonly [TaintRule, ...TaintRule[]];

/**
 * Taints of a rule in the cluster, those that Sluice has not seen yet as if they acted from `now` on. A rule that is newer than the
 * picture is read from its object. Throws if it has no readable taint.
 */
export function taintsInCluster(rule: Json, { snapshot }: Pick<Picture, 'snapshot'>, now: number): Taints {
  const known = snapshot.rules.filter(({ uid }) => uid === uidOf(rule));
  const [first, ...rest] = (known.length > 0 ? known : taintsOfObject(rule, snapshot)).map((one) =>
    timedRule(one, now),
  );
  if (first) return [first, ...rest];
  throw new Failure(`${rule.kind} ${objectOf(rule.metadata).name} has no readable taint`, 'see: sluice describe rule');
}

function taintsOfObject(rule: Json, { policies = [], classes = new Map() }: Picture['snapshot']): readonly TaintRule[] {
  const projected = project(rule.kind as ObjectKind, rule);
  return projected.kind === 'Projected' ? taintsOfRule(projected.object as AnyRule, { policies, classes }) : [];
}

/** Taints of a manifest as if it were applied now; fills in uid, generation and timeAdded, which the API server would set. */
export function taintsOfManifest(manifest: unknown, picture: Picture, now: number): Taints {
  const written = objectOf(manifest);
  const { kind } = written;
  if (kind !== 'DeviceTaintRule' && kind !== 'PacedTaintRule')
    throw new UsageFailure(
      `${kind === undefined ? 'the manifest has no kind' : `cannot plan a ${textOf(kind) ?? JSON.stringify(kind)}`}: expected a DeviceTaintRule or a PacedTaintRule`,
    );
  const metadata = objectOf(written.metadata);
  const name = nameWritten(written);
  const complete = { uid: `planned:${kind}/${name}`, resourceVersion: '1', generation: 1 };
  const projected = project(kind, { ...written, metadata: { ...metadata, name, ...complete } });
  if (projected.kind === 'Unreadable') throw new Failure(projected.why);
  const { policies = [], classes = new Map() } = picture.snapshot;
  const rules = taintsOfRule(projected.object as AnyRule, { policies, classes });
  const [first, ...rest] = rules.map((rule) => ({
    ...rule,
    taint: { ...rule.taint, timeAdded: rule.taint.timeAdded ?? now },
  }));
  if (!first) throw new Failure(`${kind} ${name} has no taint`);
  return [first, ...rest];
}

export async function planOf(
  cluster: OpenCluster,
  by: {
    readonly taints: Taints;
    readonly picture: Pick<Picture, 'snapshot' | 'stopped'>;
    readonly now: number;
    /** The rule with its conditions; absent if it is not in the cluster. */
    readonly rule?: Json | undefined;
  },
): Promise<ShownPlan> {
  const { taints, picture, now } = by;
  const plan = planRule(taints, picture.snapshot, now);
  const { pods, summary } = await withBudgetsOf(cluster, plan);
  const told = toldOf(by.rule, { taints, picture, plan });
  const held = planHold(taints, { now, stopped: picture.stopped, told });
  const shown = held === undefined ? summary : { ...summary, held };
  const skipped = countSkipped(taints, picture.snapshot, now);
  return { rule: `${taints[0].kind} ${taints[0].name}`, taints, pods, summary: shown, skipped };
}

/** What only conditions tell of a rule; before its first report, whether it will wait for an approval. */
export function toldOf(
  rule: Json | undefined,
  by: {
    readonly taints: readonly TaintRule[];
    readonly picture: Pick<Picture, 'snapshot'>;
    readonly plan: Pick<RulePlan, 'pods' | 'namespaces'>;
  },
): string | undefined {
  const conditions = conditionsOf(rule);
  const { generation, annotations } = objectOf(rule?.metadata);
  const isReported = conditions.some(({ observedGeneration }) => observedGeneration === generation);
  if (isReported || objectOf(annotations)[approveAnnotation] !== undefined) return toldHold(conditions);
  const { pods, namespaces } = by.plan;
  const matched = { waiting: pods.length, namespaces };
  return toldHold(conditions) ?? approvalAhead(by.taints, { settings: by.picture.snapshot.settings, matched });
}

/** The pods of a plan with their PodDisruptionBudgets, and its summary. */
export async function withBudgetsOf(
  cluster: OpenCluster,
  plan: Omit<RulePlan, 'rule' | 'at'>,
): Promise<Pick<ShownPlan, 'pods' | 'summary'>> {
  const namespaces = plan.pods.map(({ pod }) => pod.namespace);
  const pods = withBudgets(plan.pods, await budgetsOf(cluster, namespaces));
  return { pods, summary: summarize(plan, pods) };
}

/** How many of the pods are beyond their PodDisruptionBudgets, and of how many these could not be read. */
export async function budgetUseOf(
  cluster: OpenCluster,
  pods: readonly Pick<PlannedPod, 'pod'>[],
): Promise<Pick<PlanSummary, 'beyondBudgets' | 'unbudgeted'>> {
  const namespaces = pods.map(({ pod }) => pod.namespace);
  const use = addBudgets(noBudgets, withBudgets(pods, await budgetsOf(cluster, namespaces)));
  return { beyondBudgets: beyondBudgets(use), unbudgeted: use.unknown };
}

/** Budgets of a namespace that cannot be read are `Unknown`; the plan reports for how many pods. */
async function budgetsOf(
  cluster: OpenCluster,
  namespaces: readonly string[],
): Promise<ReadonlyMap<string, NamespaceBudgets>> {
  const budgets = createDisruptionBudgets(cluster.client);
  const read = async (namespace: string): Promise<[string, NamespaceBudgets]> => {
    const found = await budgets.read(namespace);
    return [namespace, found.kind === 'Known' ? found : { kind: 'Unknown', why: found.why }];
  };
  return new Map(await Promise.all([...new Set(namespaces)].map(read)));
}
