// Finds the rules and policies that must be paused so that one taint evicts no pod; pure.
import { policyFor } from '../../decide/policy.ts';
import type { TaintSource } from '../../model/policy.ts';
import type { Snapshot } from '../../model/snapshot.ts';

export interface TaintPause {
  /** `Kind/NAME` of the rules that put the taint on devices. */
  readonly rules: readonly string[];
  readonly policies: readonly string[];
  /** Why the taint cannot be paused on its own. */
  readonly problem?: { readonly what: string; readonly help: string };
  /** All known taint keys, to suggest one for an unknown key. */
  readonly known: readonly string[];
}

/** Slice taints have no rule object: only their EvictionPolicy can be paused. */
export function taintPauseOf(
  key: string,
  { rules, pools, agentTaints, policies = [] }: Pick<Snapshot, 'rules' | 'pools' | 'agentTaints' | 'policies'>,
): TaintPause {
  const inSlices = [
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
  const known = [...new Set([...rules.map(({ taint }) => taint.key), ...inSlices.map((one) => one.key)])];
  const mine = inSlices.filter((one) => one.key === key);
  const paused = new Set<string>();
  for (const subject of mine) {
    const policy = policyFor(subject, policies);
    const problem = policy ? tooWide(key, policy) : without(key, subject);
    if (problem) return { rules: [], policies: [], problem, known };
    if (policy) paused.add(policy.name);
  }
  const named = rules.filter(({ taint }) => taint.key === key).map(({ kind, name }) => `${kind}/${name}`);
  return { rules: [...new Set(named)], policies: [...paused], known };
}

function tooWide(
  key: string,
  policy: { readonly name: string; readonly taints: { readonly keys?: readonly string[] } },
) {
  const { keys } = policy.taints;
  if (keys?.length === 1 && keys[0] === key) return undefined;
  // A copy is more specific, unless the policy names the key too.
  const alone = keys?.includes(key)
    ? ''
    : `; or this taint alone: apply a copy of the policy with keys: [${key}] and paused: true`;
  return {
    what: `slice taint ${key} uses EvictionPolicy ${policy.name}, which also applies to other taints`,
    help: `pause all of them: sluice pause policy ${policy.name}${alone}`,
  };
}

function without(key: string, { source, driver }: { readonly source: TaintSource; readonly driver: string }) {
  return {
    what: `taint ${key} is in a ${source} of driver ${driver}, and no EvictionPolicy selects it`,
    help: `apply an EvictionPolicy with keys: [${key}], or pause the whole cluster: sluice pause --all`,
  };
}
