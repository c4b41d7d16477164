// Renders the page of an address from current data.

import type { Json } from '../../adapters/kubernetes/read.ts';
import { writtenRateOf } from '../../decide/rate.ts';
import { describeTaint, taintText } from '../../decide/taintText.ts';
import { ruleLimiter } from '../../model/rule.ts';
import { compareText } from '../../model/snapshot.ts';
import { errorPage, readingPage } from '../../view/console/actPage.ts';
import { fleetPage } from '../../view/console/fleetPage.ts';
import { parseGrouping } from '../../view/console/groups.ts';
import type { ConsolePage } from '../../view/console/page.ts';
import { planPage } from '../../view/console/planPage.ts';
import { type RuleRow, rulesPage } from '../../view/console/rulesPage.ts';
import { type Answer, type WhyKind, whyKinds, whyPage } from '../../view/console/whyPage.ts';
import { rateText } from '../../view/words.ts';
import { nameOf, uidOf } from '../cluster/objects.ts';
import { planOf, taintsInCluster } from '../cluster/planning.ts';
import { failureSentences } from '../failure.ts';
import { messageOf, selectorOf, stateOfRule, taintsWritten } from '../get/rules.ts';
import { madeFor } from '../madeRules.ts';
import { findOffer } from '../verbs/approve.ts';
import { explainFromTable, explainLive } from '../verbs/why.ts';
import { type Address, pageIn, textIn } from './address.ts';
import { resumeOf, rulesIn, type Situation } from './frame.ts';
import { isHeldObject } from './heldNow.ts';
import type { ConsoleSource } from './source.ts';
import { timeline } from './timeline.ts';

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
      return plan(source, rest.join('/'), address);
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

function fleet(source: ConsoleSource, { isStopped, may }: Situation, address: Address): ConsolePage {
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
  const heldPolicies = new Set(followed.objects('EvictionPolicy').filter(isHeldObject).map(nameOf));
  const devices = source.readFleet({ snapshot, nodesOf, now: io.now(), isStopped, heldPolicies });
  // Only the page of a group lists devices with their actions.
  const rules = group === null ? [] : followed.objects('PacedTaintRule');
  const made = new Set(rules.flatMap((rule) => madeFor(rule) ?? []));
  return fleetPage(source.readGroups(devices, query.by), query, { may, made });
}

function rules({ followed }: ConsoleSource, situation: Situation, address: Address): ConsolePage {
  const { progress, pauses, may } = situation;
  const limiters = Map.groupBy(followed?.picture().snapshot.rules ?? [], ({ uid }) => uid);
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
            message: messageOf(rule, situation.stop, situation.isStopped ? underStop : undefined),
            pauses: mine.flatMap(({ pause }) => pause ?? []),
            waitsForApproval: findOffer(rule) !== undefined,
            limiters: (limiters.get(uidOf(rule)) ?? []).map(ruleLimiter),
          };
        })
        .toSorted((a, b) => compareText(a.ref, b.ref))
    : [];
  const shown = progress.kind === 'Read' ? progress.progress : undefined;
  return rulesPage({ progress: shown, rules: rows, may }, listOf(address));
}

/** Short, because the banner of each page already shows the stop, its author and its time. */
const underStop = 'No pod is evicted while the whole cluster is held.';

export function refOf(rule: Json): string {
  return `${rule.kind}/${nameOf(rule)}`;
}

async function plan(
  { cluster, followed, io }: ConsoleSource,
  ref: string,
  address: Address,
): Promise<ConsolePage | undefined> {
  if (!cluster || !followed) return withoutCluster('Plan');
  const rule = rulesIn(followed).find((one) => refOf(one) === ref);
  if (!rule) return undefined;
  const picture = followed.picture();
  const shown = await planOf(cluster, { taints: taintsInCluster(rule, picture, io.now()), picture, now: io.now() });
  const taints = shown.taints.map((one) => `${describeTaint(one.taint)} at ${rateText(writtenRateOf(one).rate)}`);
  return planPage({ ref, taints, summary: shown.summary, pods: shown.pods }, listOf(address));
}

function why(
  source: ConsoleSource,
  { progress }: Situation,
  { path, address }: { readonly path: readonly string[]; readonly address: Address },
): Promise<ConsolePage> | ConsolePage | undefined {
  const [first = textIn(address, 'kind') || 'pod', ...rest] = path;
  const kind = whyKinds.find((one) => one === first);
  if (!kind) return undefined;
  const name = rest.length > 0 ? rest.join('/') : textIn(address, 'name');
  if (name !== '') return explain(source, { kind, name });
  const pods = progress.kind === 'Read' ? progress.progress.last.map(({ pod }) => pod) : [];
  const rules = source.followed ? rulesIn(source.followed).map(refOf).toSorted(compareText) : [];
  return whyPage({ kind, name }, [], { pods, rules });
}

async function explain(
  { cluster, table, tableHint, io }: ConsoleSource,
  of: { readonly kind: WhyKind; readonly name: string },
): Promise<ConsolePage> {
  const now = io.now();
  const [live, stored] = await Promise.all([
    answer(
      'The cluster now',
      cluster && (() => explainLive(cluster, { ...of, hasRecords: table !== undefined, now })),
      'No cluster is configured.',
    ),
    answer(
      'Records of evictions',
      table && (async () => explainFromTable(await table.state(), { ...of, namespace: 'default', limit: 20, now })),
      `Records are kept in the state table. ${tableHint}`,
    ),
  ]);
  // A pod that was evicted is away, so its record is the answer.
  if (live.isFailed && stored.isFound) return whyPage(of, [stored, { ...live, lines: live.lines.slice(0, 1) }]);
  return whyPage(of, [live, stored]);
}

interface Answered extends Answer {
  readonly isFailed?: true;
  readonly isFound?: true;
}

async function answer(
  from: string,
  ask: (() => Promise<readonly string[]>) | undefined,
  otherwise: string,
): Promise<Answered> {
  if (!ask) return { from, lines: [otherwise] };
  try {
    const lines = await ask();
    if (lines.length > 0) return { from, lines, isFound: true };
    return { from, lines: ['No record; records are kept for 90 days by default.'] };
  } catch (error) {
    return { from, isFailed: true, lines: failureSentences(error) };
  }
}
