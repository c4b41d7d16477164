// Renders the page of an address from current data.

import { rateWritten, writtenRateOf } from '../../decide/rate.ts';
import { selectsNothing } from '../../decide/selectorHold.ts';
import { describeTaint, taintText } from '../../decide/taintText.ts';
import { ruleLimiter, type TaintRule } from '../../model/rule.ts';
import { compareText, type Snapshot } from '../../model/snapshot.ts';
import { errorPage, readingPage } from '../../view/console/actPage.ts';
import { endedPage } from '../../view/console/endedPage.ts';
import { fleetPage } from '../../view/console/fleetPage.ts';
import { parseGrouping } from '../../view/console/groups.ts';
import type { ConsolePage } from '../../view/console/page.ts';
import { planPage } from '../../view/console/planPage.ts';
import { standings } from '../../view/console/ruleList.ts';
import { rulesPage } from '../../view/console/rulesPage.ts';
import type { RuleRow } from '../../view/console/ruleTools.ts';
import { isSlice } from '../../view/episodes.ts';
import { rateText } from '../../view/words.ts';
import { uidOf } from '../cluster/objects.ts';
import { planOf, taintsInCluster, withBudgetsOf } from '../cluster/planning.ts';
import { approvalWritten } from '../get/policies.ts';
import { messageOf, selectorOf, stateOfRule, taintsWritten } from '../get/rules.ts';
import { madeFor } from '../madeRules.ts';
import { findOffer } from '../verbs/approve.ts';
import { type Address, pageIn, textIn } from './address.ts';
import { resumeOf, type Situation } from './frame.ts';
import { beingCounted } from './heldNow.ts';
import { refOf } from './ruleRef.ts';
import { rulesIn } from './rulesIn.ts';
import { parseTaintName, placesIn, planSliceTaint, sliceHold, sliceRow } from './sliceTaints.ts';
import type { ConsoleSource } from './source.ts';
import { timeline } from './timeline.ts';
import { why } from './why.ts';

/** Absent if there is no such page. */
export async function pageAt(
  source: ConsoleSource,
  situation: Situation,
  address: Address,
): Promise<ConsolePage | undefined> {
  const [first, ...rest] = address.path;
  const reading = readingInstead(source, situation, first);
  if (reading) return reading;
  switch (first) {
    case 'fleet':
      return rest.length === 0 ? fleet(source, situation, address) : undefined;
    case 'rules':
      return rest.length === 0 ? rules(source, situation, address) : undefined;
    case 'plan':
      return plan(source, situation, { ref: rest.join('/'), address });
    case 'timeline':
      return rest.length === 0 ? timeline(source, address) : undefined;
    case 'why':
      return why(source, situation, { path: rest, address });
    default:
      return undefined;
  }
}

/** Pages with numbers of the cluster wait until all of it was read once; Rules has numbers if the state table has them. */
function readingInstead(
  { followed }: ConsoleSource,
  { progress }: Situation,
  page: string | undefined,
): ConsolePage | undefined {
  const reading = followed?.reading();
  if (!reading) return undefined;
  if (page === 'fleet') return readingPage('Fleet', reading, 'fleet');
  if (page === 'plan') return readingPage('Plan', reading);
  return page === 'rules' && progress.kind !== 'Read' ? readingPage('Rules', reading, 'rules') : undefined;
}

const listOf = (address: Address) => ({ search: textIn(address, 'q'), page: pageIn(address) });

function withoutCluster(title: string): ConsolePage {
  return errorPage(title, ['No cluster is configured. Start the console with --kubeconfig FILE to see this page.']);
}

function fleet(source: ConsoleSource, { stop, may, told }: Situation, address: Address): ConsolePage {
  const { followed, io } = source;
  if (!followed) return withoutCluster('Fleet');
  const { nodesOf } = followed;
  const { snapshot } = followed.picture();
  const group = address.query.get('in');
  const query = {
    by: parseGrouping(textIn(address, 'by')),
    ...listOf(address),
    ...(group === null ? {} : { in: group }),
  };
  const devices = source.readFleet({ snapshot, nodesOf, now: io.now(), isStopped: stop !== false, told });
  // Only the page of a group lists devices with their actions.
  const rules = group === null ? [] : followed.objects('PacedTaintRule');
  const made = new Set(rules.flatMap((rule) => madeFor(rule) ?? []));
  return fleetPage(source.readGroups(devices, query.by), query, { may, made });
}

function rules({ followed }: ConsoleSource, situation: Situation, address: Address): ConsolePage {
  const { progress, pauses, may, counting } = situation;
  const snapshot = followed?.picture().snapshot;
  const limiters = Map.groupBy(snapshot?.rules ?? [], ({ uid }) => uid);
  const rows = followed
    ? rulesIn(followed)
        .map((rule): RuleRow => {
          const ref = refOf(rule);
          const mine = pauses
            .flatMap((one) => resumeOf(one) ?? [])
            .filter(({ kind, name }) => kind === 'rule' && name === ref);
          return {
            ref,
            taint: taintsWritten(rule).map(taintText).join(', '),
            devices: selectorOf(rule),
            state: stateOfRule(rule, situation.stop),
            message:
              (counting.has(uidOf(rule)) && beingCounted) ||
              messageOf(rule, situation.stop, situation.isStopped ? underStop : undefined) ||
              nothingSelected(limiters.get(uidOf(rule)), snapshot),
            pauses: mine.flatMap(({ pause }) => pause ?? []),
            waitsForApproval: findOffer(rule) !== undefined,
            approval: approvalWritten(rule),
            limiters: (limiters.get(uidOf(rule)) ?? []).map(ruleLimiter),
          };
        })
        .toSorted((a, b) => compareText(a.ref, b.ref))
    : [];
  const shown = progress.kind === 'Read' ? progress.progress : undefined;
  const policies = followed?.objects('EvictionPolicy') ?? [];
  const places = snapshot ? placesIn(snapshot) : new Map<string, string>();
  const placed = shown?.limiters.map((one) => ({ ...one, place: places.get(one.limiter) ?? one.place }));
  const slices = snapshot
    ? (shown?.limiters ?? [])
        .filter(({ limiter }) => isSlice(limiter))
        .map(({ limiter }) => sliceRow(limiter, { snapshot, policies, pauses }))
    : [];
  const page = { rules: rows, slices, may, isCounting: counting.size > 0, isRead: followed !== undefined };
  const standing = standings.find((one) => one === textIn(address, 'state'));
  const open = textIn(address, 'open');
  const query = { ...listOf(address), ...(standing ? { standing } : {}), ...(open === '' ? {} : { open }) };
  return rulesPage({ ...page, progress: shown && placed && { ...shown, limiters: placed } }, query);
}

/** Why the rule selects no device; empty: it selects some, or none is there to evaluate it on. */
function nothingSelected([rule]: readonly TaintRule[] = [], snapshot: Snapshot | undefined): string {
  return (rule && snapshot && selectsNothing(rule, snapshot)) ?? '';
}

/** Short, because the banner of each page already shows the stop, its author and its time. */
const underStop = 'No pod is evicted while the whole cluster is held.';

async function plan(
  { cluster, followed, io }: ConsoleSource,
  { progress }: Situation,
  { ref, address }: { readonly ref: string; readonly address: Address },
): Promise<ConsolePage | undefined> {
  if (!cluster || !followed) return withoutCluster('Plan');
  const picture = followed.picture();
  if (ref.startsWith('taint/')) {
    const limiter = parseTaintName(ref.slice('taint/'.length));
    if (limiter === undefined) return undefined;
    const { snapshot } = picture;
    const now = io.now();
    const { pods, summary } = await withBudgetsOf(cluster, planSliceTaint(limiter, snapshot, now));
    const held = sliceHold(limiter, { ...picture, policies: followed.objects('EvictionPolicy') }, now);
    const rate = rateText(rateWritten(limiter, snapshot));
    const stands = placesIn(snapshot).get(limiter) ?? 'no slice now';
    return planPage(
      { ref, taints: [`in ${stands}, at ${rate}`], pods, summary: held === undefined ? summary : { ...summary, held } },
      listOf(address),
    );
  }
  const rule = rulesIn(followed).find((one) => refOf(one) === ref);
  if (!rule) return progress.kind === 'Read' ? endedPage(ref, progress.progress) : undefined;
  const now = io.now();
  const shown = await planOf(cluster, { taints: taintsInCluster(rule, picture, now), picture, now, rule });
  const taints = shown.taints.map((one) => `${describeTaint(one.taint)} at ${rateText(writtenRateOf(one).rate)}`);
  return planPage(
    { ref, taints, summary: shown.summary, approval: approvalWritten(rule), pods: shown.pods },
    listOf(address),
  );
}
