// Why a pod was evicted, waits to be, or stays: from its record and its row, in sentences.
import { describeReason } from '../decide/eventText.ts';
import type { Grounds } from '../decide/grounds.ts';
import { holdOf } from '../decide/hold.ts';
import { describeWay } from '../decide/mode.ts';
import type { Ledger } from '../model/eviction.ts';
import type { Uid } from '../model/identity.ts';
import { formatInstant, type Instant } from '../model/time.ts';
import { type Reason, refOf } from '../model/verdict.ts';
import { describePauses, readPauses } from '../state/pauseRows.ts';
import { readPod } from '../state/podRows.ts';
import { type EvictionRecord, readRecord } from '../state/readRecord.ts';
import { readRecent } from '../state/recentRows.ts';
import { readRules } from '../state/ruleSetRows.ts';
import type { State } from '../state/state.ts';

/** Records are found by name for a day, by UID for as long as they are kept. */
const byNameFor = 24 * 3600 * 1000;
const searched = 10_000;

export interface Why {
  /** Of this name, newest first; a name may have had many pods. */
  readonly records: readonly EvictionRecord[];
  /** The pod of this name that is there now. */
  readonly present?: { readonly uid: Uid; readonly ledger?: Ledger; readonly way?: string };
  /** What keeps a waiting pod from going, in sentences. */
  readonly held: readonly string[];
}

/** `subject`: `namespace/name`, or a UID. */
export async function readWhy(state: State, subject: string, now: Instant): Promise<Why> {
  if (!subject.includes('/')) {
    const record = await readRecord(state, subject);
    return { records: record ? [record] : [], held: [] };
  }
  const [recent, row] = await Promise.all([
    readRecent(state, { since: now - byNameFor, limit: searched }),
    readPod(state, subject),
  ]);
  const mine = recent.evictions.filter(({ pod }) => `${pod.namespace}/${pod.name}` === subject);
  const records = await Promise.all(mine.map(({ pod }) => readRecord(state, pod.uid)));
  const known = records.flatMap((record) => record ?? []);
  if (!row || row.gone) return { records: known, held: [] };
  const ledger = row.ledger?.podUid === row.uid ? row.ledger : undefined;
  const held = ledger && ['Pending', 'Reserved'].includes(ledger.state) ? await readHeld(state, ledger, now) : [];
  const way = describeWay(row.object);
  const present = { uid: row.uid, ...(ledger ? { ledger } : {}), ...(way === undefined ? {} : { way }) };
  return { records: known, present, held };
}

async function readHeld(state: State, { because }: Ledger, now: Instant): Promise<readonly string[]> {
  const [pauses, rules] = await Promise.all([readPauses(state), readRules(state)]);
  const origins = new Set(because.flatMap(({ origin }) => refOf(origin) ?? []));
  const holds = rules.rows
    .filter((row) => !row.gone && origins.has(row.key))
    .flatMap(({ object }) => {
      const hold = holdOf(object, now);
      return hold ? [`${object.kind} ${object.name}: ${hold.message}`] : [];
    });
  return [...(pauses.length > 0 ? [`Paused: ${describePauses(pauses)}.`] : []), ...holds];
}

export function renderWhy(subject: string, { records, present, held }: Why): readonly string[] {
  const waiting = held.map((sentence) => `  held: ${sentence}`);
  const lines = [...(present ? presentLines(subject, present) : []), ...waiting, ...records.flatMap(recordLines)];
  if (lines.length > 0) return lines;
  return [`${subject}: no pod and no record of that name; by name one is found for a day, by UID for 90 days`];
}

const outcomes = {
  Evicted: 'evicted',
  Gone: 'not evicted: it was gone when its turn came',
  OutcomeUnknown: 'gone; who deleted it cannot be told, since the eviction was interrupted',
  Abandoned: 'kept: its slot came too late, or its reason went away',
  Open: 'being deleted, or the eviction was interrupted',
} as const;

function recordLines(record: EvictionRecord): readonly string[] {
  const { pod, outcome, because, reservation, grounds, why, openedAt, closedAt } = record;
  return [
    `${pod.namespace}/${pod.name} (${pod.uid}): ${outcomes[outcome]}, ${formatInstant(closedAt ?? openedAt)}`,
    ...because.map(reasonLine),
    ...(reservation ? [`  slot ${formatInstant(reservation.slot)} of ${reservation.limiter}`] : []),
    ...(grounds ? groundLines(grounds) : []),
    ...(why === undefined ? [] : [`  ${why}`]),
  ];
}

function groundLines({ rate, policy, devices }: Grounds): readonly string[] {
  const by = policy === undefined ? '' : `, EvictionPolicy ${policy}`;
  return [
    `  at ${rate.perSecond} a second, burst ${rate.burst}${by}`,
    ...devices.map((one) => `  device ${one.driver}/${one.pool}/${one.device} was ${JSON.stringify(one.attributes)}`),
  ];
}

const states = {
  Pending: 'waits for a slot',
  Reserved: 'has a slot',
  Deleting: 'is being deleted',
  Evicted: 'is evicted',
  Gone: 'is gone',
  Cancelled: 'stays: what would have evicted it went away',
} as const;

function presentLines(subject: string, { uid, ledger, way }: NonNullable<Why['present']>): readonly string[] {
  if (!ledger) return [`${subject} (${uid}): stays; nothing that Sluice knows of evicts it`];
  const slot = ledger.reservation ? `, ${formatInstant(ledger.reservation.slot)}` : '';
  const due = ledger.listings.map(({ limiter, dueAt }) => `  listed at ${limiter}, due ${formatInstant(dueAt)}`);
  const { state, because, blocked } = ledger;
  return [
    `${subject} (${uid}): ${states[state]}${slot}`,
    ...because.map(reasonLine),
    ...due,
    ...(way === undefined ? [] : [`  ${way}`]),
    ...(blocked
      ? [`  kept ${blocked.times} times by disruption budgets, tried again from ${formatInstant(blocked.until)}`]
      : []),
  ];
}

function reasonLine(reason: Reason): string {
  const { timeAdded } = reason.taint;
  const added = timeAdded === undefined ? '' : `, added ${formatInstant(timeAdded)}`;
  return `  because of ${describeReason(reason)}${added}`;
}
