// Stores a rule of either kind, or a device class that rules name, and returns the pods that it can affect.
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
    // The row is stored, so a pod that arrives after this search is evaluated with the rule.
    beside: (row) => {
      if (row.dirty === undefined || row.dirty.length === 0) return;
      first = firstPage(deps, state, { ...ruleTouches(state, row), ...acting });
      first.catch(() => undefined);
    },
  });
  if (stored.kind === 'Stale') return undefined;
  const { row, raw } = stored;
  // A write that did not change the version may be followed by another process's change under the next version.
  if (raw && !stored.sameSpec) noteWritten(raw);
  const selectors = row.dirty ?? [];
  const isSettled = stored.sameSpec && selectors.length === 0 && !stored.isRepeat;
  if (how.gone !== undefined) await dropPlan(state, ref);
  const changed = isSettled ? {} : acting;
  const repaced = stored.isAnnotated ? { repaced: taintRulesOf(rule).map(ruleLimiter) } : {};
  // Rules projected for a deleted PacedTaintRule must be deleted too.
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

/** The work that a rule owes when its pods are searched again later. */
export function ruleOwes(state: State, row: RuleRow): Applied {
  return { ...ruleTouches(state, row), ...(row.gone ? {} : { rule: dirtyRule(row.object) }) };
}

/** A class has no effect by itself; the rules that name it may now select other devices. */
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
  // The policies' waves may now cover other devices.
  const { isReleased } = await observe(state, 'WhereWatched', deps.clock.now());
  const rules = await currentRuleRows(state);
  const reportWalk = `reports|DeviceClass/${row.key}` as const;
  const isNamed = rulesNaming(rules, row.key).length > 0;
  if (isNamed) await openReports(deps, state, { name: reportWalk, of: { kind: 'OfClass', name: row.key } });
  const reaches = isReleased ? [{}] : selectionsOfClass(rules, row.key);
  return { pods: [], reaches, ...(isNamed ? { reportWalk } : {}), ...owed(classRowKey(state.cluster, row.key), row) };
}
