// Rules that expire: a warning ten minutes before, and a new condition when it has happened; no watch event tells of either.
import { expiryOf } from '../decide/hold.ts';
import { effectOf } from '../decide/ruleTaints.ts';
import type { ClusterId } from '../model/identity.ts';
import { type AnyRule, ruleRef } from '../model/rule.ts';
import type { EventToRecord } from '../model/status.ts';
import { formatInstant, type Instant, type Milliseconds } from '../model/time.ts';
import type { StepDependencies } from './step.ts';

const warnBefore: Milliseconds = 10 * 60_000;

/** Sweeps that may be lost before the condition is. */
const reportFor: Milliseconds = 5 * 60_000;

export async function sweepExpiry(
  deps: StepDependencies,
  cluster: ClusterId,
  rules: readonly AnyRule[],
): Promise<void> {
  const now = deps.clock.now();
  for (const rule of rules) {
    const at = expiryOf(rule);
    if (at === undefined || effectOf(rule) !== 'NoExecute') continue;
    if (now >= at - warnBefore && now < at)
      await deps.queues.sendEvents([{ cluster, event: warningOf(rule, at, now) }]);
    if (now >= at && now < at + reportFor) await deps.queues.sendReport([{ cluster, rule: ruleRef(rule) }]);
  }
}

/** Its name is the same in every sweep, so it is recorded once. */
function warningOf({ kind, name, uid }: AnyRule, at: Instant, now: Instant): EventToRecord {
  return {
    name: `${name.slice(0, 200)}.expires-${at.toString(36)}`,
    regarding: { kind, name, uid },
    type: 'Warning',
    reason: `${kind}Expires`,
    message: `Expires at ${formatInstant(at)}: from then on Sluice evicts nobody for it, and pods that wait stay. The rule itself stays too.`,
    at: now,
  };
}
