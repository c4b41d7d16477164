// Stores a rule of either kind, or a device class that rules name, and answers which pods it can touch.
import { taintRulesOf } from '../decide/ruleTaints.ts';
import type { DeviceClass } from '../model/objects.ts';
import { type AnyRule, ruleLimiter, ruleRef } from '../model/rule.ts';
import { classRowKey, ruleRowKey } from '../state/keys.ts';
import { dropPlan } from '../state/planRows.ts';
import { epochOf, storeRule } from '../state/ruleRows.ts';
import { readRules, rulesNaming, selectionsOfClass, storeClass } from '../state/ruleSetRows.ts';
import type { State } from '../state/state.ts';
import { allPodsUsing, type FindTouched, owed, type Storing } from './applied.ts';

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
  return async () => {
    const pods = (await Promise.all(selectors.map((selector) => allPodsUsing(state, selector)))).flat();
    return { pods, ...reports, ...owed(ruleRowKey(state.cluster, ref), row), ...changed, ...repaced };
  };
}

/** A class decides nothing itself: the rules that name it select other devices now. */
export async function applyClass(
  state: State,
  deviceClass: DeviceClass,
  how: Storing,
): Promise<FindTouched | undefined> {
  const stored = await storeClass(state, deviceClass, how);
  if (stored.kind === 'Stale') return undefined;
  const { row } = stored;
  return async () => {
    const rules = await readRules(state);
    const selectors = selectionsOfClass(rules, deviceClass.name);
    const reports = rulesNaming(rules, deviceClass.name).map(ruleRef);
    const pods = (await Promise.all(selectors.map((selector) => allPodsUsing(state, selector)))).flat();
    return { pods, reports, ...owed(classRowKey(state.cluster, deviceClass.name), row) };
  };
}
