// Which page an address names, made from what is known now.

import type { Json } from '../../adapters/kubernetes/read.ts';
import { writtenRateOf } from '../../decide/rate.ts';
import { describeTaint, taintText } from '../../decide/taintText.ts';
import { ruleLimiter } from '../../model/rule.ts';
import { compareText } from '../../model/snapshot.ts';
import { readRecent } from '../../state/recentRows.ts';
import { errorPage } from '../../view/console/actPage.ts';
import { fleetOf } from '../../view/console/fleet.ts';
import { fleetPage } from '../../view/console/fleetPage.ts';
import { parseGrouping } from '../../view/console/groups.ts';
import type { ConsolePage } from '../../view/console/page.ts';
import { planPage } from '../../view/console/planPage.ts';
import { type RuleRow, rulesPage } from '../../view/console/rulesPage.ts';
import { noTimelinePage, timelinePage } from '../../view/console/timelinePage.ts';
import { type Answer, type WhyKind, whyKinds, whyPage } from '../../view/console/whyPage.ts';
import { lastEvictionOf } from '../../view/lastEviction.ts';
import { rateText } from '../../view/words.ts';
import { nameOf, uidOf } from '../cluster/objects.ts';
import { planOf, taintsInCluster } from '../cluster/planning.ts';
import { failureLines } from '../failure.ts';
import { messageOf, selectorOf, stateOfRule, taintsWritten } from '../get/rules.ts';
import { findOffer } from '../verbs/approve.ts';
import { explainFromTable, explainLive } from '../verbs/why.ts';
import { resumeOf, rulesIn, type Situation } from './frame.ts';
import type { ConsoleSource } from './source.ts';

export interface Address {
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

export function parseAddress(text: string): Address {
  const { pathname, searchParams } = new URL(text, 'http://console');
  return { path: pathname.split('/').filter(Boolean).map(decodeURIComponent), query: searchParams };
}

/** Pages that read more than what is watched are made again less often. */
export function intervalOf({ path: [first] }: Address): number {
  return first === 'plan' || first === 'why' || first === 'timeline' ? 3000 : 250;
}

/** Absent where there is no such page. */
export async function pageAt(
  source: ConsoleSource,
  situation: Situation,
  address: Address,
): Promise<ConsolePage | undefined> {
  const [first, ...rest] = address.path;
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
      return why(source, rest, address);
    default:
      return undefined;
  }
}

const textIn = ({ query }: Address, name: string) => query.get(name)?.trim() ?? '';
const pageIn = ({ query }: Address) => Math.max(1, Math.floor(Number(query.get('page')) || 1));
const listOf = (address: Address) => ({ search: textIn(address, 'q'), page: pageIn(address) });

function withoutCluster(title: string): ConsolePage {
  return errorPage(title, ['No cluster is named. Start the console with --kubeconfig FILE to see this page.']);
}

function fleet({ followed, io }: ConsoleSource, situation: Situation, address: Address): ConsolePage {
  if (!followed) return withoutCluster('Fleet');
  const { snapshot } = followed.picture();
  const devices = fleetOf({ snapshot, nodeOf: followed.nodeOf, now: io.now(), isStopped: situation.isStopped });
  const group = address.query.get('in');
  const query = {
    by: parseGrouping(textIn(address, 'by')),
    ...listOf(address),
    ...(group === null ? {} : { in: group }),
  };
  return fleetPage(devices, query, situation.may);
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
            state: stateOfRule(rule),
            message: messageOf(rule),
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
  const shown = await planOf(cluster, { taints: taintsInCluster(rule, picture), picture, now: io.now() });
  const taints = shown.taints.map((one) => `${describeTaint(one.taint)} at ${rateText(writtenRateOf(one).rate)}`);
  return planPage({ ref, taints, summary: shown.summary, pods: shown.pods }, listOf(address));
}

const day = 24 * 3_600_000;
/** Rows read of each of the shards. */
const recentLimit = 1000;

async function timeline({ table, tableHint, io }: ConsoleSource, address: Address): Promise<ConsolePage> {
  if (!table) return noTimelinePage(`Evictions are kept in the state table. ${tableHint}`);
  const now = io.now();
  const { evictions, isPartial } = await readRecent(await table.state(), { since: now - day, limit: recentLimit });
  const query = {
    rule: textIn(address, 'rule'),
    node: textIn(address, 'node'),
    team: textIn(address, 'team'),
    page: pageIn(address),
  };
  return timelinePage({ evictions: evictions.map(lastEvictionOf), isPartial, now }, query);
}

function why(source: ConsoleSource, path: readonly string[], address: Address): Promise<ConsolePage> | undefined {
  const [first = textIn(address, 'kind') || 'pod', ...rest] = path;
  const kind = whyKinds.find((one) => one === first);
  if (!kind) return undefined;
  return explain(source, { kind, name: rest.length > 0 ? rest.join('/') : textIn(address, 'name') });
}

async function explain(
  { cluster, table, tableHint, io }: ConsoleSource,
  of: { readonly kind: WhyKind; readonly name: string },
): Promise<ConsolePage> {
  if (of.name === '') return whyPage(of, []);
  const now = io.now();
  const [live, stored] = await Promise.all([
    answer('The cluster now', cluster && (() => explainLive(cluster, { ...of, now })), 'No cluster is named.'),
    answer(
      'Records of evictions',
      table && (async () => explainFromTable(await table.state(), { ...of, namespace: 'default', limit: 20, now })),
      `Records are kept in the state table. ${tableHint}`,
    ),
  ]);
  return whyPage(of, [live, stored]);
}

async function answer(
  from: string,
  ask: (() => Promise<readonly string[]>) | undefined,
  otherwise: string,
): Promise<Answer> {
  if (!ask) return { from, lines: [otherwise] };
  try {
    const lines = await ask();
    return { from, lines: lines.length > 0 ? lines : ['No record; records are kept for 90 days.'] };
  } catch (error) {
    return { from, lines: failureLines(error).map((one) => one.replace(/^error: /, '')) };
  }
}
