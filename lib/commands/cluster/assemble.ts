// A picture of a cluster made of its objects: the form in which decisions are made; pure.
import { withPolicy } from '../../decide/policy.ts';
import { taintRulesOf } from '../../decide/ruleTaints.ts';
import { agentTaintsOf } from '../../decide/taintSlice.ts';
import type { Namespace } from '../../model/namespace.ts';
import type { DeviceClass } from '../../model/objects.ts';
import type { EvictionPolicy } from '../../model/policy.ts';
import { createRecall, type Recall } from '../../model/recall.ts';
import type { AnyRule, TaintRule } from '../../model/rule.ts';
import { compareText, defaultSettings, type Snapshot, settingsFor } from '../../model/snapshot.ts';
import type { DeviceTaintSlice } from '../../model/taintSlice.ts';

export interface Picture {
  readonly snapshot: Snapshot;
  /** As they were written; those that Sluice wrote for the scheduler are left out. */
  readonly rules: readonly AnyRule[];
  /** Objects that cannot be read, in words: what they say is not in the picture. */
  readonly problems: readonly string[];
  /** What stops the whole cluster, as a sentence; absent: no EvictionStop stands. */
  readonly stopped?: string | undefined;
}

export interface PictureParts extends Pick<Snapshot, 'pods' | 'claims' | 'pools'> {
  readonly rules: readonly AnyRule[];
  readonly policies: readonly EvictionPolicy[];
  readonly taintSlices: readonly DeviceTaintSlice[];
  readonly classes: readonly DeviceClass[];
  readonly namespaces: readonly Namespace[];
  readonly hasPodGroups: boolean;
  /** Absent: nothing is kept for the next picture. */
  readonly recall?: Recall;
}

export function pictureOf(parts: PictureParts): Pick<Picture, 'snapshot' | 'rules'> {
  const { pods, claims, pools, rules, policies } = parts;
  const classes = new Map(parts.classes.map(({ name, selectors }) => [name, selectors]));
  const snapshot: Snapshot = {
    pods,
    claims,
    pools,
    rules: rules
      .flatMap((rule) => taintsOfRule(rule, { policies, classes }))
      .toSorted((a, b) => compareText(a.name, b.name)),
    policies,
    classes,
    namespaces: new Map(parts.namespaces.map((one) => [one.name, one])),
    agentTaints: agentTaintsOf(parts.taintSlices, pools),
    settings: settingsFor(defaultSettings, { podGroups: parts.hasPodGroups }),
    recall: parts.recall ?? createRecall(),
  };
  return { snapshot, rules };
}

/** One per taint, each with its policy. */
export function taintsOfRule(
  rule: AnyRule,
  by: { readonly policies: readonly EvictionPolicy[]; readonly classes: NonNullable<Snapshot['classes']> },
): readonly TaintRule[] {
  return taintRulesOf(rule, by.classes).map((one) => withPolicy(one, by.policies));
}
