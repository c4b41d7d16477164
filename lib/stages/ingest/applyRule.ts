// Stores a rule of either kind, or a device class that rules name, and answers which pods it can touch.
import { taintRulesOf } from '../../decide/ruleTaints.ts';
import { evicts } from '../../decide/taint.ts';
import type { DeviceClass } from '../../model/objects.ts';
import { type AnyRule, ruleLimiter, ruleRef } from '../../model/rule.ts';
import { currentRuleRows, ownRuleWrite } from '../../state/currentRules.ts';
import { classRowKey, ruleRowKey } from '../../state/keys.ts';
import { dropPlan } from '../../state/planRows.ts';
import { epochOf, type RuleRow, storeRule } from '../../state/ruleRows.ts';
import { type ClassRow, rulesNaming, selectionsOfClass, storeClass } from '../../state/ruleSetRows.ts';
import type { State, Storing } from '../../state/state.ts';
import { openReports } from '../../steps/reportWalk.ts';
import type { StepDependencies } from '../../steps/step.ts';
import { type Applied, type DirtyRule, type FindTouched, type FirstPage, owed } from './applied.ts';
import { firstPage } from './findTouched.ts';
import { observe } from './observe.ts';

export async function applyRule(
  deps: Pick<StepDependencies, 'clock'>,
  state: State,
  rule: AnyRule,
  how: Storing,
): Promise<FindTouched | undefined> {
  const ref = ruleRef(rule);
  const acting = how.gone === undefined ? { rule: dirtyRule(rule) } : {};
  const noteWritten = ownRuleWrite(state);
  let first: Promise<FirstPage> | undefined;
  const stored = await storeRule(state, rule, {
    ...how,
    // The row is there, so that a pod which comes after this look is evaluated with the rule.
    beside: (row) => {
      if (row.dirty === undefined || row.dirty.length === 0) return;
      first = firstPage(deps, state, { ...ruleTouches(state, row), ...acting });
      first.catch(() => undefined);
    },
  });
  if (stored.kind === 'Stale') return undefined;
  const { row, raw } = stored;
  // What moved no version may be followed by a change of another process under the next one.
  if (raw && !stored.sameSpec) noteWritten(raw);
  const selectors = row.dirty ?? [];
  const isSettled = stored.sameSpec && selectors.length === 0 && !stored.isRepeat;
  if (how.gone !== undefined) await dropPlan(state, ref);
  const changed = isSettled ? {} : acting;
  const repaced = stored.isAnnotated ? { repaced: taintRulesOf(rule).map(ruleLimiter) } : {};
  // What was written for a rule goes with it.
  const reports = how.gone !== undefined && rule.kind === 'PacedTaintRule' ? { reports: [ref] } : {};
  return async () => ({ ...ruleTouches(state, row), ...(first ? { first } : {}), ...reports, ...changed, ...repaced });
}

function dirtyRule(rule: AnyRule): DirtyRule {
  const evicting = taintRulesOf(rule).filter(({ taint }) => evicts(taint));
  return { ref: ruleRef(rule), epoch: epochOf(rule), limiters: evicting.map(ruleLimiter) };
}

export function ruleTouches(state: State, row: RuleRow): Applied {
  return { pods: [], reaches: row.dirty ?? [], ...owed(ruleRowKey(state.cluster, row.key), row) };
}

/** What the rule itself owes when its pods are found again later. */
export function ruleOwes(state: State, row: RuleRow): Applied {
  return { ...ruleTouches(state, row), ...(row.gone ? {} : { rule: dirtyRule(row.object) }) };
}

/** A class decides nothing itself: the rules that name it select other devices now. */
export async function applyClass(
  deps: StepDependencies,
  state: State,
  deviceClass: DeviceClass,
  how: Storing,
): Promise<FindTouched | undefined> {
  const stored = await storeClass(state, deviceClass, how);
  if (stored.kind === 'Stale') return undefined;
  return () => classTouches(deps, state, stored.row);
}

export async function classTouches(deps: StepDependencies, state: State, row: ClassRow): Promise<Applied> {
  // What a policy watches may be other devices now.
  const { isReleased } = await observe(state, 'WhereWatched', deps.clock.now());
  const rules = await currentRuleRows(state);
  const reportWalk = `reports|DeviceClass/${row.key}` as const;
  const isNamed = rulesNaming(rules, row.key).length > 0;
  if (isNamed) await openReports(deps, state, { name: reportWalk, of: { kind: 'OfClass', name: row.key } });
  const reaches = isReleased ? [{}] : selectionsOfClass(rules, row.key);
  return { pods: [], reaches, ...(isNamed ? { reportWalk } : {}), ...owed(classRowKey(state.cluster, row.key), row) };
}
