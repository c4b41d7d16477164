// Expiring rules: a warning ten minutes before, and a new condition afterwards; no watch event announces either.
import { expiryOf } from '../../decide/hold.ts';
import { effectOf } from '../../decide/ruleTaints.ts';
import type { ClusterId } from '../../model/identity.ts';
import { sourceOfKind } from '../../model/ownership.ts';
import type { AnyRule, RuleRef } from '../../model/rule.ts';
import type { EventToRecord } from '../../model/status.ts';
import { formatInstant, type Instant } from '../../model/time.ts';
import { forgetExpiry, postponeExpiry, warnBefore } from '../../state/reportRows.ts';
import { readRule } from '../../state/ruleRows.ts';
import { modesNow } from '../../steps/ownedSnapshot.ts';
import { reach } from '../../steps/reach.ts';
import type { ClusterStepDependencies, ComeBack } from '../../steps/step.ts';
import type { Key } from '../../table.ts';
import { report } from './report.ts';

/** Reads everything again, since the rule may have been edited. */
export async function lookAtExpiry(
  deps: ClusterStepDependencies,
  by: { readonly cluster: ClusterId; readonly rule: RuleRef; readonly key: Key },
): Promise<ComeBack | undefined> {
  const reached = await reach(deps, by);
  if (reached.kind !== 'Reached') return undefined;
  const { state, access } = reached;
  const row = await readRule(state, by.rule);
  const at = row && !row.gone && effectOf(row.object) === 'NoExecute' ? expiryOf(row.object) : undefined;
  const now = deps.clock.now();
  if (!row || at === undefined) {
    await forgetExpiry(state, by.rule);
    return undefined;
  }
  const isOwned = (await modesNow(deps, state))[sourceOfKind(row.object.kind)] === 'own';
  if (now >= at) {
    const comeBack = isOwned ? await report(deps, { cluster: by.cluster, rule: by.rule }) : undefined;
    await forgetExpiry(state, by.rule);
    return comeBack;
  }
  if (isOwned && now >= at - warnBefore) await access.events.record(expiryWarning(row.object, at, now));
  await postponeExpiry(state, by.rule, now >= at - warnBefore ? at : at - warnBefore);
  return undefined;
}

/** The Event's name is the same each time, so it is recorded once. */
export function expiryWarning({ kind, name, uid }: AnyRule, at: Instant, now: Instant): EventToRecord {
  return {
    name: `${name.slice(0, 200)}.expires-${at.toString(36)}`,
    regarding: { kind, name, uid },
    type: 'Warning',
    reason: `${kind}Expires`,
    message: `Expires at ${formatInstant(at)}: from then on Sluice evicts no pod for it, and pods that wait stay. The rule itself stays too.`,
    at: now,
  };
}
