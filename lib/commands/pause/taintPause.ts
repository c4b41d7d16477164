// Finds the rules and policies that must be paused so that one taint evicts no pod; pure.
import { policyFor } from '../../decide/policy.ts';
import type { EvictionPolicy, PolicySelector, TaintSource } from '../../model/policy.ts';
import type { Snapshot } from '../../model/snapshot.ts';

export interface TaintPause {
  /** `Kind/NAME` of the rules that put the taint on devices. */
  readonly rules: readonly string[];
  /** Policies that select this taint alone. */
  readonly policies: readonly string[];
  /** Policies that are missing for that: a paused one for each. */
  readonly missing: readonly MissingPolicy[];
  /** All known taint keys, to suggest one for an unknown key. */
  readonly known: readonly string[];
}

export interface MissingPolicy {
  /** More specific than that of `copyOf`; if it is only as specific, the contradiction holds the taint too. */
  readonly taints: Required<PolicySelector>;
  /** The policy that selects the taint among others; absent if none does. */
  readonly copyOf?: string;
}

interface Subject {
  readonly driver: string;
  readonly key: string;
  readonly source: TaintSource;
}

/** Slice taints have no rule object: only an EvictionPolicy can be paused for them. */
export function taintPauseOf(
  key: string,
  { rules, policies = [], ...slices }: Pick<Snapshot, 'rules' | 'pools' | 'agentTaints' | 'policies'>,
): TaintPause {
  const inSlices = subjectsIn(slices);
  const known = [...new Set([...rules.map(({ taint }) => taint.key), ...inSlices.map((one) => one.key)])];
  const selected = Map.groupBy(
    inSlices.filter((one) => one.key === key),
    (subject) => policyFor(subject, policies),
  );
  const alone = [...selected.keys()].flatMap((policy) => (policy && selectsOnly(key, policy) ? [policy.name] : []));
  const missing = [...selected].flatMap(([policy, subjects]) =>
    policy && selectsOnly(key, policy) ? [] : [missingFor(key, subjects, policy)],
  );
  const named = rules.filter(({ taint }) => taint.key === key).map(({ kind, name }) => `${kind}/${name}`);
  return { rules: [...new Set(named)], policies: [...new Set(alone)], missing, known };
}

/** Whether other policies select every slice taint of this key, so that its pods do not depend on the policy `name`. */
export function isSelectedWithout(
  name: string,
  key: string,
  { policies = [], ...slices }: Pick<Snapshot, 'pools' | 'agentTaints' | 'policies'>,
): boolean {
  const others = policies.filter((one) => one.name !== name);
  return subjectsIn(slices).every((one) => one.key !== key || policyFor(one, others) !== undefined);
}

function subjectsIn({ pools, agentTaints }: Pick<Snapshot, 'pools' | 'agentTaints'>): readonly Subject[] {
  return [
    ...[...pools.values()].flatMap(({ driver, devices }) =>
      [...devices.values()]
        .flat()
        .map(({ taint }) => ({ driver, key: taint.key, source: 'ResourceSlice' as TaintSource })),
    ),
    ...[...(agentTaints ?? [])].flatMap(([device, taints]) =>
      taints.map(({ taint }) => ({
        driver: device.split('|')[0] ?? '',
        key: taint.key,
        source: 'DeviceTaintSlice' as TaintSource,
      })),
    ),
  ];
}

function selectsOnly(key: string, { taints: { keys } }: EvictionPolicy): boolean {
  return keys?.length === 1 && keys[0] === key;
}

function missingFor(key: string, subjects: readonly Subject[], policy: EvictionPolicy | undefined): MissingPolicy {
  const drivers = [...new Set(subjects.map(({ driver }) => driver))].sort();
  const sources = [...new Set(subjects.map(({ source }) => source))].sort();
  return { taints: { keys: [key], drivers, sources }, ...(policy ? { copyOf: policy.name } : {}) };
}
