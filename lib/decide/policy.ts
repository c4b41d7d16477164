// Which policy applies to a taint, and whether the policy allows evictions now.

import { type Hold, pausedBy } from '../model/hold.ts';
import type { EvictionPolicy, PolicySelector, TaintSource } from '../model/policy.ts';
import type { TaintRule } from '../model/rule.ts';
import { compareText } from '../model/snapshot.ts';
import { formatInstant, type Instant } from '../model/time.ts';
import { pausesOf } from './pauses.ts';
import { desertedKeyOf, policyGoneFor } from './policyGone.ts';
import { isSame } from './same.ts';
import { opennessOf } from './window.ts';
import { policyRate } from './writtenRate.ts';

export interface PolicySubject {
  readonly key: string;
  /** Absent if a rule names no driver: then a policy for one driver does not apply. */
  readonly driver: string | undefined;
  readonly source: TaintSource;
}

/**
 * The policy with the settings of a taint, and how policies with `pauseOnly` hold the taint. If no policy has settings for it, a policy that
 * holds it is returned.
 */
export function policyFor(subject: PolicySubject, policies: readonly EvictionPolicy[]): EvictionPolicy | undefined {
  const settings = settingsFor(subject, policies);
  const pausing = pausingFor(subject, policies);
  return pausing?.hold ? { ...(settings ?? pausing.policy), pausedBeside: pausing.hold } : settings;
}

function pausingFor(subject: PolicySubject, policies: readonly EvictionPolicy[]) {
  return policies
    .filter((policy) => policy.pauseOnly && !policy.isGone && isSelected(policy.taints, subject))
    .toSorted((a, b) => compareText(a.name, b.name))
    .map((policy) => ({ policy, hold: policyProblem(policy) ?? policyPause(policy) }))
    .find(({ hold }) => hold !== undefined);
}

/** The policy to edit where a taint is held as `PolicyUnusable`: that with the settings, or one with `pauseOnly`. */
export function unusableFor(subject: PolicySubject, policies: readonly EvictionPolicy[]): EvictionPolicy | undefined {
  const policy = policyFor(subject, policies);
  return policy && policyProblem(policy) ? policy : (pausingFor(subject, policies)?.policy ?? policy);
}

/**
 * The most specific policy: longest matching part of the key (an exact key before a prefix of the same length), then one that names the
 * driver, then one that names the source, then the first by name. If two are equally specific and differ, the intent is unknown: the other
 * one is set as `rival`, and the taint is held.
 */
export function settingsFor(subject: PolicySubject, policies: readonly EvictionPolicy[]): EvictionPolicy | undefined {
  const matching = policies.filter(
    (policy) => !policy.pauseOnly && !policy.isGone && isSelected(policy.taints, subject),
  );
  const [first, ...others] = matching.toSorted(
    (a, b) => compareSpecificity(a, b, subject) || compareText(a.name, b.name),
  );
  const rival = others.find((one) => first && compareSpecificity(first, one, subject) === 0 && !isAlike(first, one));
  return first && rival ? { ...first, rival: rival.name } : first;
}

/** Whether two policies have the same settings, apart from their selectors. */
function isAlike(a: EvictionPolicy, b: EvictionPolicy): boolean {
  return isSame(orders(a), orders(b));
}

function orders({ name: _, uid: __, resourceVersion: ___, generation: ____, taints: _____, ...rest }: EvictionPolicy) {
  const { annotations = {}, deserted: ______, ...said } = rest;
  return { ...said, pauses: pausesOf(annotations) };
}

/** Whether a policy with that selector applies to the taint. */
export function isSelected(
  { keys, drivers, sources }: PolicySelector,
  { key, driver, source }: PolicySubject,
): boolean {
  return (
    (keys === undefined || keys.some((pattern) => matches(pattern, key))) &&
    (drivers === undefined || drivers.some((one) => one === driver)) &&
    (sources === undefined || sources.includes(source))
  );
}

function matches(pattern: string, key: string): boolean {
  return pattern.endsWith('*') ? key.startsWith(pattern.slice(0, -1)) : key === pattern;
}

function compareSpecificity(a: EvictionPolicy, b: EvictionPolicy, { key }: PolicySubject): number {
  const [x, y] = [a.taints, b.taints];
  return (
    keyWeight(y, key) - keyWeight(x, key) ||
    Number(y.drivers !== undefined) - Number(x.drivers !== undefined) ||
    Number(y.sources !== undefined) - Number(x.sources !== undefined)
  );
}

/** Twice the characters that the best matching pattern fixes, plus 1 for an exact key; -1 for a policy without keys. */
function keyWeight({ keys }: PolicySelector, key: string): number {
  if (!keys) return -1;
  return Math.max(...keys.filter((pattern) => matches(pattern, key)).map(weightOf));
}

function weightOf(pattern: string): number {
  return pattern.endsWith('*') ? 2 * (pattern.length - 1) : 2 * pattern.length + 1;
}

export function subjectOf({ kind: source, taint, deviceSelector }: TaintRule): PolicySubject {
  return { key: taint.key, source, driver: deviceSelector?.driver };
}

/** The rule with its policy, or else with the name of a deleted policy that left it pending pods. */
export function withPolicy(rule: TaintRule, policies: readonly EvictionPolicy[]): TaintRule {
  const policy = policyFor(subjectOf(rule), policies);
  if (policy) return { ...rule, policy };
  const policyGone = policyGoneFor(desertedKeyOf(rule), policies);
  return policyGone === undefined ? rule : { ...rule, policyGone };
}

/** Why the policy evicts no pod at the moment. */
export function policyHold(policy: EvictionPolicy, now: Instant): Hold | undefined {
  return policyProblem(policy) ?? policyPause(policy) ?? windowHold(policy, now);
}

export function policyProblem(policy: EvictionPolicy): Hold | undefined {
  const named = `EvictionPolicy ${policy.name}`;
  if (policy.unreadable !== undefined)
    return {
      reason: 'PolicyUnusable',
      message: `${named} cannot be read, so no pod is evicted: ${policy.unreadable}.`,
    };
  if (policy.rival !== undefined)
    return {
      reason: 'PoliciesContradict',
      message: `EvictionPolicies ${policy.name} and ${policy.rival} are equally specific for this taint and say different things, so no pod is evicted: delete one, or let one name more.`,
    };
  const [problem] = policyRate(policy).problems;
  if (problem === undefined) return undefined;
  return { reason: 'PolicyUnusable', message: `${named} cannot be used, so no pod is evicted: ${problem}.` };
}

export function policyPause(policy: EvictionPolicy): Hold | undefined {
  const pauses = pausesOf(policy.annotations ?? {});
  if (!policy.paused && pauses.length === 0) return policy.pausedBeside;
  const named = pauses.length > 0 ? `: ${pauses.join('; ')}` : '';
  return { reason: 'Paused', message: `${pausedBy}EvictionPolicy ${policy.name}${named}.` };
}

/** `until`: when the next window opens. */
export function windowHold(
  { name, windows }: EvictionPolicy,
  now: Instant,
): (Hold & { readonly until?: Instant }) | undefined {
  if (!windows) return undefined;
  const named = `EvictionPolicy ${name}`;
  const openness = opennessOf(windows, now);
  switch (openness.kind) {
    case 'Open':
      return undefined;
    case 'Unusable':
      return { reason: 'PolicyUnusable', message: `${named} cannot be used, so no pod is evicted: ${openness.why}.` };
    case 'Closed': {
      const { opensAt } = openness;
      const until = opensAt === undefined ? 'they never open' : `they open at ${formatInstant(opensAt)}`;
      const hold: Hold = { reason: 'OutsideWindow', message: `Outside the windows of ${named}: ${until}.` };
      return opensAt === undefined ? hold : { ...hold, until: opensAt };
    }
    // Stryker disable next-line ConditionalExpression: there is no other kind
    default:
      return openness satisfies never;
  }
}
