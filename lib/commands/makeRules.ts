// Shows the plans of rules, asks for confirmation and writes the rules; shared by `taint` and `drain`.

import { type Json, objectOf } from '../adapters/kubernetes/read.ts';
import { pacedRuleResource } from '../adapters/kubernetes/servedVersion.ts';
import type { PlanSummary } from '../model/plan.ts';
import type { Instant } from '../model/time.ts';
import { countText, planTimeText } from '../view/words.ts';
import type { OpenCluster } from './cluster/open.ts';
import { readPicture } from './cluster/picture.ts';
import { planOf, taintsOfManifest } from './cluster/planning.ts';
import { requireServed } from './cluster/served.ts';
import { isConfirmed } from './confirm.ts';
import type { Call } from './definition.ts';
import { line, widthOf } from './io.ts';
import { planLines } from './output/planText.ts';
import { writeRule } from './writeRule.ts';

const wouldEvict = 3;
/** Pods shown before confirmation; `sluice plan` shows all. */
const podsShown = 20;

/** Returns the exit status: 3 for a dry run that would evict a pod whose namespace is not paused. */
export async function makeRules(
  cluster: OpenCluster,
  call: Pick<Call, 'flags' | 'io'>,
  rules: readonly Json[],
): Promise<number> {
  const { io } = call;
  const plans = await plansOf(cluster, rules, io.now());
  const look = { by: 'pod', page: 1, pageSize: podsShown, isWide: false, width: widthOf(io.out, io.env) } as const;
  for (const plan of plans) for (const one of planLines(plan, look)) line(io.out, one);
  const planned = plans.flatMap((plan) => plan.pods);
  const pods = new Set(planned.map(({ pod }) => pod.uid)).size;
  const question = `Apply ${countText(rules.length, 'rule')} and evict ${countText(pods, 'pod')}?`;
  if (pods > 0 || call.flags.dryRun === true) {
    if (!(await isConfirmed(call, question))) return planned.some(({ paused }) => !paused) ? wouldEvict : 0;
  }
  for (const rule of rules) line(io.out, await writeRule(cluster, rule));
  return 0;
}

/** Writes the rules without a question; returns what was written, and how many pods will be evicted. */
export async function writeRules(
  cluster: OpenCluster,
  rules: readonly Json[],
  now: Instant,
): Promise<readonly string[]> {
  const plans = await plansOf(cluster, rules, now);
  const written: string[] = [];
  for (const rule of rules) written.push(await writeRule(cluster, rule));
  return [...written, ...plans.map(({ summary }) => willEvictText(summary))];
}

function willEvictText(summary: PlanSummary): string {
  const { pods, namespaces } = summary;
  if (pods === 0) return 'no pod will be evicted';
  return `${countText(pods, 'pod')} in ${countText(namespaces, 'namespace')} will be evicted${planTimeText(summary)}`;
}

/** The plans of those rules that evict. Throws if the cluster does not serve PacedTaintRules. */
async function plansOf(cluster: OpenCluster, rules: readonly Json[], now: Instant) {
  await requireServed(cluster, pacedRuleResource);
  const picture = await readPicture(cluster);
  const evicting = rules.filter((rule) => effectOf(rule) === 'NoExecute');
  return Promise.all(
    evicting.map((rule) => planOf(cluster, { taints: taintsOfManifest(rule, picture, now), picture, now })),
  );
}

function effectOf(rule: Json): unknown {
  const { taints } = objectOf(rule.spec);
  return Array.isArray(taints) ? objectOf(taints[0]).effect : undefined;
}
