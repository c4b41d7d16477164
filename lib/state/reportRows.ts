// When each rule's condition is to be written next, so that a thousand evictions ask for one report.
import type { Instant } from '../model/time.ts';
import { absent, any, compare, queryAll } from '../table.ts';
import { reportKey, reportPartition } from './keys.ts';
import type { State } from './state.ts';

/** Under which name a refresh of a rule's plan is asked for; no rule's name holds a bar. */
export function planReport(rule: string): string {
  return `plan|${rule}`;
}

/** `Asked`: the caller must send the message. `Pending`: a report not later than `at` is on its way. */
export async function askForReport(
  state: State,
  rule: string,
  by: { at: Instant; now: Instant },
): Promise<'Asked' | 'Pending'> {
  const result = await state.table.write({
    kind: 'Update',
    key: reportKey(state.cluster, rule),
    change: { set: { reportAt: by.at } },
    when: any(absent('reportAt'), compare('reportAt', '<', by.now), compare('reportAt', '>', by.at)),
  });
  return result.kind === 'Written' ? 'Asked' : 'Pending';
}

/** Before counting: whoever changes something from here on asks anew. */
export async function beginReport(state: State, rule: string): Promise<void> {
  await state.table.write({ kind: 'Update', key: reportKey(state.cluster, rule), change: { remove: ['reportAt'] } });
}

/** Reports that should have been written before `before` and were not: their message is lost. */
export async function readLostReports(
  state: State,
  before: Instant,
): Promise<readonly { readonly rule: string; readonly plan?: true }[]> {
  const rows = await queryAll(state.table, { pk: reportPartition(state.cluster) });
  const lost = rows.filter((row) => typeof row.reportAt === 'number' && row.reportAt < before);
  const prefix = planReport('');
  return lost.map(({ sk }) => (sk.startsWith(prefix) ? { rule: sk.slice(prefix.length), plan: true } : { rule: sk }));
}
