// `sluice plan`: shows which pods rules would evict now; exit status 3 if at least one of them is in no paused namespace.
import { selectorHold, selectsNothing } from '../../decide/selectorHold.ts';
import { evicts } from '../../decide/taint.ts';
import type { TaintRule } from '../../model/rule.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import { checkWritten } from '../cluster/checkWritten.ts';
import { withCluster } from '../cluster/open.ts';
import { readPicture } from '../cluster/picture.ts';
import { planOf, type ShownPlan, taintsInCluster, taintsOfManifest } from '../cluster/planning.ts';
import type { Call } from '../definition.ts';
import { Failure, UsageFailure } from '../failure.ts';
import { numberFlag, textFlag } from '../flags.ts';
import { requireRule } from '../get/rules.ts';
import { line, widthOf } from '../io.ts';
import { readManifests } from '../manifests.ts';
import { planLines } from '../output/planText.ts';
import { formatOf, printFound } from '../output/print.ts';
import { type Grouping, groupsOf } from '../planRows.ts';

const wouldEvict = 3;

export async function run(call: Call): Promise<number> {
  const { args, flags, io } = call;
  const [name] = args;
  const file = textFlag(flags, 'filename');
  if ((name === undefined) === (file === undefined))
    throw new UsageFailure('specify either a rule or -f FILE', 'see: sluice plan --help');
  const format = await formatOf(call);
  const by = textFlag(flags, 'by') as Grouping;
  const page = numberFlag(flags, 'page', { least: 1, isWhole: true }) ?? 1;
  const pageSize = numberFlag(flags, 'pageSize', { isWhole: true }) ?? 50;
  const manifests = file === undefined ? [] : (await readManifests(file, io)).map(({ value }) => value);
  if (file !== undefined && manifests.length === 0) throw new UsageFailure(`${file} contains no rule`);
  const now = io.now();
  const plans = await withCluster(call, async (cluster): Promise<readonly ShownPlan[]> => {
    const rule = name === undefined ? undefined : await requireRule(cluster, name);
    const picture = await readPicture(cluster);
    for (const one of picture.problems) line(io.err, `not read: ${one}`);
    if (picture.stopped !== undefined) line(io.err, picture.stopped);
    for (const one of manifests) {
      const unchecked = await checkWritten(cluster, one);
      if (unchecked !== undefined) line(io.err, unchecked);
    }
    const taints = rule
      ? [taintsInCluster(rule, picture, now)]
      : manifests.map((one) => taintsOfManifest(one, picture, now));
    for (const [first] of taints) noteSelector(first, picture.snapshot, io);
    return Promise.all(taints.map((one) => planOf(cluster, { taints: one, picture, now, rule })));
  });
  if (format.kind === 'table' || format.kind === 'wide') {
    const look = { by, page, pageSize, isWide: format.kind === 'wide', width: widthOf(io.out, io.env) };
    for (const one of plans
      .map((plan) => planLines(plan, look).join('\n'))
      .join('\n\n')
      .split('\n'))
      line(io.out, one);
  } else {
    const object = (plan: ShownPlan) => objectOfPlan(plan, by);
    const found = {
      items: plans,
      columns: [],
      object,
      name: (one: ShownPlan) => one.rule.replace(' ', '/').toLowerCase(),
    };
    await printFound(call, { ...found, noun: 'plans', isSingle: plans.length === 1 }, format);
  }
  return plans.some(isEvicting) ? wouldEvict : 0;
}

/** A dry run evicts no pod. */
function isEvicting({ taints, pods }: ShownPlan): boolean {
  return taints.some(({ taint }) => evicts(taint)) && pods.some(({ paused }) => !paused);
}

/** A rule whose selector cannot be used selects nothing, which is no plan; a DeviceClass may still be created. */
function noteSelector(rule: TaintRule, snapshot: Snapshot, io: Call['io']): void {
  const why = selectsNothing(rule, snapshot);
  if (why === undefined) return;
  const message = `${rule.kind} ${rule.name}: ${why}`;
  if (selectorHold(rule, snapshot.recall)?.reason === 'SelectorRefused') throw new Failure(message);
  line(io.err, message);
}

function objectOfPlan({ rule, summary, pods }: ShownPlan, by: Grouping): object {
  return { kind: 'Plan', rule, summary, ...(by === 'pod' ? { pods } : { by, groups: groupsOf(pods, by) }) };
}
