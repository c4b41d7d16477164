// Sentences about why a pod was evicted, is pending or is kept, from its eviction records and its row.
import { describeLoop } from '../decide/loopText.ts';
import { describeWay, waysUnder } from '../decide/mode.ts';
import { timesText } from '../gates/gate.ts';
import type { Ledger } from '../model/eviction.ts';
import type { Uid } from '../model/identity.ts';
import type { Pod } from '../model/objects.ts';
import { farFuture, formatInstant, type Instant } from '../model/time.ts';
import { findRecords, type RecordsOf } from '../state/findRecords.ts';
import { statesOf } from '../state/incarnationRows.ts';
import { readPod } from '../state/podRows.ts';
import { type EvictionRecord, readRecord } from '../state/readRecord.ts';
import { liveNamespaces, livePolicies, liveTaintRules, readRules, type StoredRules } from '../state/ruleSetRows.ts';
import type { State } from '../state/state.ts';
import { readHeld } from './whyHeld.ts';
import { limiterText, reasonLines, recordLines } from './whyRecord.ts';

/** Maximum number of pods of one name to explain. */
const ofOneName = 20;

export interface Why {
  /** Eviction records of this name, newest first; recreated pods have the same name. */
  readonly records: readonly EvictionRecord[];
  /** The existing pod of this name. */
  readonly present?: { readonly uid: Uid; readonly ledger?: Ledger; readonly ways: readonly string[] };
  /** Sentences about what holds a pending pod. */
  readonly held: readonly string[];
}

/** `subject`: `namespace/name`, or a UID. */
export async function readWhy(state: State, subject: string, now: Instant): Promise<Why> {
  if (!subject.includes('/')) {
    const records = await Promise.all((await statesOf(state)).map((one) => readRecord(one, subject)));
    return { records: records.flatMap((record) => record ?? []), held: [] };
  }
  const [known, row] = await Promise.all([
    recordsOf(state, { kind: 'Pod', pod: subject }, ofOneName),
    readPod(state, subject),
  ]);
  if (!row || row.gone) return { records: known, held: [] };
  const ledger = row.ledger?.podUid === row.uid ? row.ledger : undefined;
  if (!ledger) return { records: known, present: { uid: row.uid, ways: [] }, held: [] };
  const rules = await readRules(state);
  const held = ledger.state === 'Pending' ? await readHeld(state, { object: row.object, ledger, now }) : [];
  const present = { uid: row.uid, ledger, ways: waysOf(row.object, { ledger, rules }) };
  return { records: known, present, held };
}

/** Records of all incarnations of the cluster, newest first. */
async function recordsOf(state: State, of: RecordsOf, limit: number): Promise<readonly EvictionRecord[]> {
  const found: EvictionRecord[] = [];
  for (const one of await statesOf(state)) {
    if (found.length >= limit) break;
    found.push(...(await findRecords(one, of, limit - found.length)));
  }
  return found;
}

/** Only one sentence if all limiters agree. */
function waysOf(pod: Pod, by: { readonly ledger: Ledger; readonly rules: StoredRules }): readonly string[] {
  const { ledger, rules } = by;
  const sources = { policies: livePolicies(rules), namespaces: liveNamespaces(rules) };
  const wayOf = waysUnder(pod, { rules: liveTaintRules(rules), ...sources });
  return [...new Set(ledger.listings.flatMap(({ limiter }) => describeWay(wayOf(limiter)) ?? []))];
}

export function renderWhy(subject: string, { records, present, held }: Why): readonly string[] {
  const waiting = held.map((sentence) => `  held: ${sentence}`);
  const lines = [...(present ? presentLines(subject, present) : []), ...waiting, ...records.flatMap(recordLines)];
  if (lines.length > 0) return lines;
  return [`${subject}: no pod and no record of that name or UID; records are kept for 90 days by default`];
}

/** Evictions because of a rule, slice or device, newest first; the last line mentions that there may be more. */
export async function explainRecords(state: State, of: RecordsOf, limit: number): Promise<readonly string[]> {
  const records = await recordsOf(state, of, limit);
  const lines = records.flatMap(recordLines);
  return records.length < limit ? lines : [...lines, `the ${limit} newest; --limit shows more`];
}

const states = {
  Pending: 'waits for a token',
  Deleting: 'is being deleted',
  Evicted: 'is evicted',
  Gone: 'is gone',
  Cancelled: 'kept: the taint no longer applies',
} as const;

function stateText({ state, blocked, listings }: NonNullable<NonNullable<Why['present']>['ledger']>): string {
  if (state === 'Pending' && blocked) return 'waits until its disruption budgets allow it';
  const isKept = listings.length > 0 && listings.every(({ dueAt }) => dueAt >= farFuture);
  return isKept && state === 'Pending' ? 'kept for now' : states[state];
}

function presentLines(subject: string, { uid, ledger, ways }: NonNullable<Why['present']>): readonly string[] {
  if (!ledger) return [`${subject} (${uid}): kept: no taint that Sluice knows of evicts it`];
  const due = ledger.listings.map(
    ({ limiter, dueAt, group }) =>
      `  listed for ${limiterText(limiter, ledger.because)}, ${dueAt >= farFuture ? 'kept for now' : `due ${formatInstant(dueAt)}`}${group === undefined ? '' : `, together with ${group}`}`,
  );
  const { blocked, failed, loops = [] } = ledger;
  return [
    `${subject} (${uid}): ${stateText(ledger)}`,
    ...reasonLines(ledger),
    ...due,
    ...ways.map((way) => `  ${way}`),
    ...loops.map((loop) => `  ${describeLoop(loop)}`),
    ...(blocked
      ? [`  kept ${timesText(blocked.times)} by disruption budgets, tried again from ${formatInstant(blocked.until)}`]
      : []),
    ...(failed
      ? [
          `  the API server failed to evict it ${timesText(failed.times)}, tried again from ${formatInstant(failed.until)}`,
        ]
      : []),
  ];
}
