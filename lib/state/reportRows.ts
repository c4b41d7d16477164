// When to write each rule's condition next, so that a thousand evictions ask for one report.

import { dueIndex } from '../contract.ts';
import type { Instant, Milliseconds } from '../model/time.ts';
import { absent, any, compare, type Key, present, type Write } from '../table.ts';
import { dueAttributes, noDue } from './dueIndex.ts';
import { reportKey } from './keys.ts';
import type { State } from './state.ts';

/** Under which name a refresh of a rule's plan is asked for; no rule's name holds a bar. */
export function planReport(rule: string): string {
  return `plan|${rule}`;
}

/** A report this late has lost its message. */
const lostAfter: Milliseconds = 30_000;

/** `Asked`: the caller must send the message. `Pending`: a report not later than `at` is on its way. */
export async function askForReport(
  state: State,
  rule: string,
  by: { at: Instant; now: Instant },
): Promise<'Asked' | 'Pending'> {
  const key = reportKey(state.cluster, rule);
  const result = await state.table.write({
    kind: 'Update',
    key,
    change: { set: { reportAt: by.at, ...dueAttributes(state, key, by.at + lostAfter) } },
    when: any(absent('reportAt'), compare('reportAt', '<', by.now), compare('reportAt', '>', by.at)),
  });
  return result.kind === 'Written' ? 'Asked' : 'Pending';
}

/** Before counting: every later change asks for another report. */
export async function beginReport(state: State, rule: string): Promise<void> {
  const change = { remove: ['reportAt', ...noDue] };
  await state.table.write({ kind: 'Update', key: reportKey(state.cluster, rule), change });
}

/** Before a rule expires people are warned. */
export const warnBefore: Milliseconds = 10 * 60_000;

const expiryPrefix = 'expiry|';

function expiryKey({ cluster }: State, rule: string): Key {
  return reportKey(cluster, `${expiryPrefix}${rule}`);
}

/** Belong in the transaction that stores the rule: when a step has to look at it because it expires. */
export function expiryWrites(
  state: State,
  rule: string,
  by: { readonly before: Instant | undefined; readonly after: Instant | undefined },
): readonly Write[] {
  if (by.before === by.after) return [];
  const key = expiryKey(state, rule);
  if (by.after === undefined) return [{ kind: 'Delete', key }];
  return [{ kind: 'Put', row: { ...key, ...dueAttributes(state, key, by.after - warnBefore) } }];
}

export async function postponeExpiry(state: State, rule: string, until: Instant): Promise<void> {
  const key = expiryKey(state, rule);
  const change = { set: dueAttributes(state, key, until) };
  await state.table.write({ kind: 'Update', key, change, when: present(dueIndex.time) });
}

export async function forgetExpiry(state: State, rule: string): Promise<void> {
  await state.table.write({ kind: 'Delete', key: expiryKey(state, rule) });
}

/** The rule that expires, of the key of a row that is due. */
export function ruleOfExpiry({ sk }: Pick<Key, 'sk'>): string | undefined {
  return sk.startsWith(expiryPrefix) ? sk.slice(expiryPrefix.length) : undefined;
}

/** The rule of a row that is due, and whether its plan alone is asked for. */
export function reportOf({ sk }: Pick<Key, 'sk'>): { readonly rule: string; readonly plan?: true } {
  const prefix = planReport('');
  return sk.startsWith(prefix) ? { rule: sk.slice(prefix.length), plan: true } : { rule: sk };
}
