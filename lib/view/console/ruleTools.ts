// Links of a rule and of a taint in slices: plan, Why, and the actions that can work.
import { type Markup, markup } from '../markup.ts';
import type { ActionRequest, May } from './act.ts';
import { planHref, renderTools, whyHref } from './parts.ts';

/** Row of a rule, from its API object. */
export interface RuleRow {
  /** `PacedTaintRule/a`. */
  readonly ref: string;
  readonly taint: string;
  readonly devices: string;
  /** State in one or two words. */
  readonly state: string;
  readonly message: string;
  /** Names of pauses that `resume` can end. */
  readonly pauses: readonly string[];
  readonly waitsForApproval: boolean;
  /** Who approved which plan, and when; absent if none is approved. */
  readonly approval?: string | undefined;
  /** Limiters of the rule, one per taint. */
  readonly limiters: readonly string[];
}

/** A taint in slices, by its limiter. */
export interface SliceRow {
  readonly limiter: string;
  /** `DRIVER/KEY=VALUE:EFFECT`. */
  readonly name: string;
  readonly key: string;
  /** Its slice says its rate, so its policy does not. */
  readonly hasOwnRate: boolean;
  /** The EvictionPolicy that selects it; absent if there is none. */
  readonly policy?: {
    readonly name: string;
    /** Names of pauses that `resume` can end. */
    readonly pauses: readonly string[];
    readonly waitsForApproval: boolean;
    /** As of a rule. */
    readonly approval?: string | undefined;
  };
}

/** Links to the plan and the Why page, and actions for which the user has the right. */
export function renderRuleTools(rule: RuleRow | undefined, may: May): Markup | undefined {
  if (!rule) return undefined;
  const { ref, pauses, waitsForApproval } = rule;
  const act = (action: ActionRequest['action'], pause?: string): ActionRequest => ({
    action,
    kind: 'rule',
    name: ref,
    ...(pause === undefined ? {} : { pause }),
  });
  const requests = [
    ...(waitsForApproval ? [act('approve')] : []),
    ...pauses.map((pause) => act('resume', pause)),
    ...(pauses.length === 0 ? [act('pause')] : []),
    act('rate'),
  ];
  return markup`<p class="tools"><a class="button" href="${planHref(ref)}">Plan<span class="unseen"> of ${ref}</span></a><a class="button" href="${whyHref('rule', ref)}">Why<span class="unseen"> ${ref}</span></a>${renderTools(requests, may, ref)}</p>`;
}

/** Pause, rate and approval of a slice taint are those of its EvictionPolicy; without one, says what is missing. */
export function renderSliceTools(slice: SliceRow | undefined, may: May): Markup | undefined {
  if (!slice) return undefined;
  const { name, policy, key, hasOwnRate } = slice;
  const links = markup`<a class="button" href="${planHref(`taint/${name}`)}">Plan<span class="unseen"> of ${name}</span></a><a class="button" href="${whyHref('taint', name)}">Why<span class="unseen"> ${name}</span></a>`;
  if (!policy)
    return markup`<p class="tools">${links}</p><p class="more">No EvictionPolicy selects this taint, so it has no pause and no rate that a button can set. Apply one with taints.keys: [${key}], or pause everything.</p>`;
  const act = (action: ActionRequest['action'], pause?: string): ActionRequest => ({
    action,
    kind: 'policy',
    name: policy.name,
    ...(pause === undefined ? {} : { pause }),
  });
  const requests = [
    ...(policy.waitsForApproval ? [act('approve')] : []),
    ...policy.pauses.map((pause) => act('resume', pause)),
    ...(policy.pauses.length === 0 ? [act('pause')] : []),
    ...(hasOwnRate ? [] : [act('rate')]),
  ];
  const rate = hasOwnRate ? ' Its rate is written in its DeviceTaintSlice.' : '';
  return markup`<p class="tools">${links}${renderTools(requests, may, `EvictionPolicy ${policy.name}`)}</p><p class="more">The buttons act on EvictionPolicy ${policy.name}, so on all taints that it selects.${rate}${policy.approval !== undefined && ` It has an ${policy.approval}.`}</p>`;
}
