// Builds a picture of a cluster from its objects: the input of all eviction decisions; pure.
import { conditionsOf } from '../../adapters/kubernetes/projectRule.ts';
import { type Json, objectOf, textOf } from '../../adapters/kubernetes/read.ts';
import { toldHold } from '../../decide/planHold.ts';
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
  /** Rules as users wrote them; native rules that Sluice projected from PacedTaintRules are left out. */
  readonly rules: readonly AnyRule[];
  /** One message for each object that cannot be read; the picture does not contain that object. */
  readonly problems: readonly string[];
  /** Sentence about the EvictionStops that stop the whole cluster; absent: there is none. */
  readonly stopped?: string | undefined;
  /** What only the condition Held tells, by `KIND/NAME` of rules and policies: approvals, canaries, observers in doubt. */
  readonly told?: ReadonlyMap<string, string>;
}

export interface PictureParts extends Pick<Snapshot, 'pods' | 'claims' | 'pools'> {
  readonly rules: readonly AnyRule[];
  readonly policies: readonly EvictionPolicy[];
  readonly taintSlices: readonly DeviceTaintSlice[];
  readonly classes: readonly DeviceClass[];
  readonly namespaces: readonly Namespace[];
  readonly hasPodGroups: boolean;
  /** Cache of earlier decisions; absent: a new one, for this picture only. */
  readonly recall?: Recall;
}

const tellingKinds = ['DeviceTaintRule', 'PacedTaintRule', 'EvictionPolicy'];

/** Adds what the condition Held of a rule or policy tells; other kinds, which may be many objects, tell nothing. */
export function addTold(told: Map<string, string>, kind: string, object: Json): void {
  if (!tellingKinds.includes(kind)) return;
  const held = toldHold(conditionsOf(object));
  if (held !== undefined) told.set(`${kind}/${textOf(objectOf(object.metadata).name)}`, held);
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

/** One TaintRule per taint of the rule, each with its policy. */
export function taintsOfRule(
  rule: AnyRule,
  by: { readonly policies: readonly EvictionPolicy[]; readonly classes: NonNullable<Snapshot['classes']> },
): readonly TaintRule[] {
  return taintRulesOf(rule, by.classes).map((one) => withPolicy(one, by.policies));
}
