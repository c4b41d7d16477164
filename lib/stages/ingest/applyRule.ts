// Stores a rule of either kind, or a device class that rules name, and answers which pods it can touch.
import { taintRulesOf } from '../../decide/ruleTaints.ts';
import type { DeviceClass } from '../../model/objects.ts';
import { type AnyRule, ruleLimiter, ruleRef } from '../../model/rule.ts';
import type { Instant } from '../../model/time.ts';
import { classRowKey, ruleRowKey } from '../../state/keys.ts';
import { dropPlan } from '../../state/planRows.ts';
import { epochOf, type RuleRow, storeRule } from '../../state/ruleRows.ts';
import { type ClassRow, readRules, rulesNaming, selectionsOfClass, storeClass } from '../../state/ruleSetRows.ts';
import type { State, Storing } from '../../state/state.ts';
import { type Applied, type FindTouched, owed } from './applied.ts';
import { observe } from './observe.ts';

export async function applyRule(state: State, rule: AnyRule, how: Storing): Promise<FindTouched | undefined> {
  const ref = ruleRef(rule);
  const stored = await storeRule(state, rule, how);
  if (stored.kind === 'Stale') return undefined;
  const { row } = stored;
  const selectors = row.dirty ?? [];
  const isSettled = stored.sameSpec && selectors.length === 0 && !stored.isRepeat;
  if (how.gone !== undefined) await dropPlan(state, ref);
  const changed = isSettled || how.gone !== undefined ? {} : { rule: { ref, epoch: epochOf(rule) } };
  const repaced = stored.isAnnotated ? { repaced: taintRulesOf(rule).map(ruleLimiter) } : {};
  // What was written for a rule goes with it.
  const reports = how.gone !== undefined && rule.kind === 'PacedTaintRule' ? { reports: [ref] } : {};
  return async () => ({ ...ruleTouches(state, row), ...reports, ...changed, ...repaced });
}

export function ruleTouches(state: State, row: RuleRow): Applied {
  return { pods: [], reaches: row.dirty ?? [], ...owed(ruleRowKey(state.cluster, row.key), row) };
}

/** What the rule itself owes when its pods are found again later. */
export function ruleOwes(state: State, row: RuleRow): Applied {
  const { object, key: ref } = row;
  const rule = { ref, epoch: epochOf(object) };
  return { ...ruleTouches(state, row), ...(row.gone ? {} : { rule }) };
}

/** A class decides nothing itself: the rules that name it select other devices now. */
export async function applyClass(
  state: State,
  deviceClass: DeviceClass,
  how: Storing,
): Promise<FindTouched | undefined> {
  const stored = await storeClass(state, deviceClass, how);
  if (stored.kind === 'Stale') return undefined;
  return () => classTouches(state, stored.row, how.now);
}

export async function classTouches(state: State, row: ClassRow, now: Instant): Promise<Applied> {
  // What a policy watches may be other devices now.
  const { isReleased } = await observe(state, 'WhereWatched', now);
  const rules = await readRules(state);
  const reports = rulesNaming(rules, row.key).map(ruleRef);
  const reaches = isReleased ? [{}] : selectionsOfClass(rules, row.key);
  return { pods: [], reaches, reports, ...owed(classRowKey(state.cluster, row.key), row) };
}
