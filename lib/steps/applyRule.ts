// Stores a rule of either kind, or a device class that rules name, and answers which pods it can touch.
import { taintRulesOf } from '../decide/ruleTaints.ts';
import type { DeviceClass } from '../model/objects.ts';
import { type AnyRule, ruleLimiter, ruleRef } from '../model/rule.ts';
import { classRowKey, ruleRowKey } from '../state/keys.ts';
import { dropPlan } from '../state/planRows.ts';
import { epochOf, type RuleRow, storeRule } from '../state/ruleRows.ts';
import { type ClassRow, readRules, rulesNaming, selectionsOfClass, storeClass } from '../state/ruleSetRows.ts';
import type { State, Storing } from '../state/state.ts';
import { type Applied, allPodsUsing, type FindTouched, owed } from './applied.ts';

export async function applyRule(state: State, rule: AnyRule, how: Storing): Promise<FindTouched | undefined> {
  const ref = ruleRef(rule);
  const stored = await storeRule(state, rule, how);
  if (stored.kind === 'Stale') return undefined;
  const { row } = stored;
  const selectors = row.dirty ?? [];
  const isSettled = stored.sameSpec && selectors.length === 0 && !stored.isRepeat;
  if (how.gone !== undefined) await dropPlan(state, ref);
  const changed =
    isSettled || how.gone !== undefined
      ? {}
      : { rule: { ref, epoch: epochOf(rule), resourceVersion: rule.resourceVersion } };
  const repaced = stored.isAnnotated ? { repaced: taintRulesOf(rule).map(ruleLimiter) } : {};
  // What was written for a rule goes with it.
  const reports = how.gone !== undefined && rule.kind === 'PacedTaintRule' ? { reports: [ref] } : {};
  return async () => ({ ...(await ruleTouches(state, row)), ...reports, ...changed, ...repaced });
}

export async function ruleTouches(state: State, row: RuleRow): Promise<Applied> {
  const pods = await Promise.all((row.dirty ?? []).map((selector) => allPodsUsing(state, selector)));
  return { pods: pods.flat(), ...owed(ruleRowKey(state.cluster, row.key), row) };
}

/** What the rule itself owes when its pods are found again later. */
export async function ruleOwes(state: State, row: RuleRow): Promise<Applied> {
  const { object, key: ref } = row;
  const rule = { ref, epoch: epochOf(object), resourceVersion: object.resourceVersion };
  return { ...(await ruleTouches(state, row)), ...(row.gone ? {} : { rule }) };
}

/** A class decides nothing itself: the rules that name it select other devices now. */
export async function applyClass(
  state: State,
  deviceClass: DeviceClass,
  how: Storing,
): Promise<FindTouched | undefined> {
  const stored = await storeClass(state, deviceClass, how);
  if (stored.kind === 'Stale') return undefined;
  return () => classTouches(state, stored.row);
}

export async function classTouches(state: State, row: ClassRow): Promise<Applied> {
  const rules = await readRules(state);
  const reports = rulesNaming(rules, row.key).map(ruleRef);
  const selectors = selectionsOfClass(rules, row.key);
  const pods = (await Promise.all(selectors.map((selector) => allPodsUsing(state, selector)))).flat();
  return { pods, reports, ...owed(classRowKey(state.cluster, row.key), row) };
}
