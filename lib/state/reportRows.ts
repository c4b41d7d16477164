// When each rule's condition is written next, so that a thousand evictions cause one report.

import { dueIndex } from '../contract.ts';
import type { Instant, Milliseconds } from '../model/time.ts';
import { absent, all, any, compare, type Key, present, type Write } from '../table.ts';
import { dueAttributes } from './dueIndex.ts';
import { reportKey } from './keys.ts';
import type { State } from './state.ts';

/** The name under which a refresh of a rule's plan is requested; no rule's name contains `|`. */
export function planReport(rule: string): string {
  return `plan|${rule}`;
}

/** The message of a report this late was lost. */
const lostAfter: Milliseconds = 30_000;

/** Messages may arrive this much before their time, as clocks differ. */
const early: Milliseconds = 1000;

/** `Asked`: the caller must send the message. `Pending`: a report is already scheduled for `at`, at most `slack` after it, or earlier. */
export async function askForReport(
  state: State,
  rule: string,
  by: { at: Instant; now: Instant; slack?: Milliseconds },
): Promise<'Asked' | 'Pending'> {
  const key = reportKey(state.cluster, rule);
  const result = await state.table.write({
    kind: 'Update',
    key,
    change: { set: { reportAt: by.at, ...dueAttributes(state, key, by.at + lostAfter) }, remove: ['begun'] },
    when: any(absent('reportAt'), compare('reportAt', '<', by.now), compare('reportAt', '>', by.at + (by.slack ?? 0))),
  });
  return result.kind === 'Written' ? 'Asked' : 'Pending';
}

/** Redeliveries of a failed report end before this, in the dead-letter queue (lib/lambda/returnDelay.ts). */
export const redeliveredFor: Milliseconds = 15 * 60_000;

/**
 * Call before counting: every later change then requests another report. Until `endReport`, the report is due again after
 * `redeliveredFor`: whatever ends its function, nothing but its message would repeat it, and that one becomes a dead letter. One that is
 * scheduled for later stays scheduled, so that a second message does not schedule a third.
 */
export async function beginReport(state: State, rule: string, now: Instant): Promise<void> {
  const key = reportKey(state.cluster, rule);
  const at = now + redeliveredFor;
  const change = { set: { reportAt: at, begun: true, ...dueAttributes(state, key, at) } };
  const when = any(absent('reportAt'), compare('reportAt', '<=', now + early), present('begun'));
  await state.table.write({ kind: 'Update', key, change, when });
}

/** Call when the report that began at `begun` needs no other; one that was requested meanwhile, or that has begun, stays due. */
export async function endReport(state: State, rule: string, begun: Instant): Promise<void> {
  const when = all(present('begun'), compare('reportAt', '=', begun + redeliveredFor));
  await state.table.write({ kind: 'Delete', key: reportKey(state.cluster, rule), when });
}

/** Call instead of `endReport` when the report that began at `begun` must be repeated at `at`, without a message; the sweep sends it. */
export async function scheduleReport(
  state: State,
  rule: string,
  by: { readonly begun: Instant; readonly at: Instant },
): Promise<void> {
  const key = reportKey(state.cluster, rule);
  const change = { set: { reportAt: by.at, ...dueAttributes(state, key, by.at) }, remove: ['begun'] };
  const when = all(present('begun'), compare('reportAt', '=', by.begun + redeliveredFor));
  await state.table.write({ kind: 'Update', key, change, when });
}

/** A warning is recorded this long before a rule expires. */
export const warnBefore: Milliseconds = 10 * 60_000;

const expiryPrefix = 'expiry|';

function expiryKey({ cluster }: State, rule: string): Key {
  return reportKey(cluster, `${expiryPrefix}${rule}`);
}

/** Must be in the transaction that stores the rule; they set when the rule's expiry is due. */
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

/** The expiring rule of a due row's key. */
export function ruleOfExpiry({ sk }: Pick<Key, 'sk'>): string | undefined {
  return sk.startsWith(expiryPrefix) ? sk.slice(expiryPrefix.length) : undefined;
}

/** The rule of a due row, and whether only its plan is requested. */
export function reportOf({ sk }: Pick<Key, 'sk'>): { readonly rule: string; readonly plan?: true } {
  const prefix = planReport('');
  return sk.startsWith(prefix) ? { rule: sk.slice(prefix.length), plan: true } : { rule: sk };
}
