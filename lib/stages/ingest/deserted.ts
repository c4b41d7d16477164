// Finds the taints that a policy leaves with pending pods when it is deleted, and forgets them when no such pods remain.
import { settingsFor, subjectOf } from '../../decide/policy.ts';
import { desertedKeyOf } from '../../decide/policyGone.ts';
import { sliceSubject } from '../../decide/rate.ts';
import { evicts } from '../../decide/taint.ts';
import type { LimiterId } from '../../model/eviction.ts';
import type { EvictionPolicy, PolicySelector } from '../../model/policy.ts';
import { ruleLimiter, type TaintRule } from '../../model/rule.ts';
import type { Instant } from '../../model/time.ts';
import { currentRuleRows } from '../../state/currentRules.ts';
import { isListing, readSliceLimiters } from '../../state/limiterRows.ts';
import { keepDeserted, type PolicyRow } from '../../state/policyRows.ts';
import { isBeingFound } from '../../state/ruleRows.ts';
import { livePolicies, liveTaintRules } from '../../state/ruleSetRows.ts';
import type { State } from '../../state/state.ts';
import { mapParallel } from '../../steps/mapParallel.ts';
import { findUnlisted } from './unlisted.ts';

const parallelReads = 50;

/** Taints of this policy with pending or not yet found pods that no other policy selects. Empty if the policy is already gone. */
export async function findDeserted(
  state: State,
  { name, taints, pauseOnly }: EvictionPolicy,
): Promise<readonly string[]> {
  // It set nothing for these pods: to delete it ends a pause.
  if (pauseOnly) return [];
  const stored = await currentRuleRows(state);
  const others = livePolicies(stored).filter((one) => one.name !== name);
  const ofRules = liveTaintRules(stored).filter(
    (rule) => evicts(rule.taint) && rule.policy?.name === name && !settingsFor(subjectOf(rule), others),
  );
  const policies = livePolicies(stored);
  const isLeft = (limiter: LimiterId) =>
    settingsFor(sliceSubject(limiter), policies)?.name === name && !settingsFor(sliceSubject(limiter), others);
  // Keep this order: a pod that is found in between is listed by then.
  const unlisted = isForSlices(taints) ? await findUnlisted(state, isLeft) : new Set<LimiterId>();
  const listed = await readSliceLimiters(state, (limiter) => isLeft(limiter) && !unlisted.has(limiter));
  const left = await Promise.all([rulesLeft(state, ofRules), listing(state, listed)]);
  return [...left.flat(), ...unlisted];
}

function isForSlices({ sources }: PolicySelector): boolean {
  return sources === undefined || sources.some((one) => one === 'ResourceSlice' || one === 'DeviceTaintSlice');
}

/** Processes a due tombstone of a policy. A taint is forgotten once no pod is pending or the rule has another version. */
export async function lookAtDeserted(state: State, row: PolicyRow, now: Instant): Promise<void> {
  const { deserted = [] } = row.object;
  const keys = new Set(deserted);
  const ofRules = liveTaintRules(await currentRuleRows(state)).filter((rule) => keys.has(desertedKeyOf(rule)));
  const ofSlices = deserted.filter((key) => key.startsWith('slice|'));
  const left = (await Promise.all([rulesLeft(state, ofRules), slicesLeft(state, ofSlices)])).flat();
  await keepDeserted(state, row, { deserted: left, isSame: left.length === deserted.length, now });
}

async function rulesLeft(state: State, rules: readonly TaintRule[]): Promise<readonly string[]> {
  const left = await mapParallel(rules, parallelReads, async (rule) =>
    (await mayListPods(state, rule)) ? [desertedKeyOf(rule)] : [],
  );
  return left.flat();
}

/** Reads slices only for limiters that list no pod. */
async function slicesLeft(state: State, limiters: readonly LimiterId[]): Promise<readonly LimiterId[]> {
  const listed = new Set(await listing(state, limiters));
  const others = new Set(limiters.filter((limiter) => !listed.has(limiter)));
  if (others.size === 0) return [...listed];
  const unlisted = await findUnlisted(state, (limiter) => others.has(limiter));
  // Their pods may have been listed in the meantime.
  const found = await listing(
    state,
    [...others].filter((limiter) => !unlisted.has(limiter)),
  );
  return [...listed, ...unlisted, ...found];
}

async function listing(state: State, limiters: readonly LimiterId[]): Promise<readonly LimiterId[]> {
  const left = await mapParallel(limiters, parallelReads, async (one) => ((await isListing(state, one)) ? [one] : []));
  return left.flat();
}

/** Pods that the policy held may not be listed yet: the rule's taint has no timeAdded, or its pods are still being searched. */
async function mayListPods(state: State, rule: TaintRule): Promise<boolean> {
  if (rule.taint.timeAdded === undefined || (await isBeingFound(state, rule))) return true;
  // Keep this order: a pod that is found in between is listed by then.
  return isListing(state, ruleLimiter(rule));
}
