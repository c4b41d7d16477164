// A rule's EvictionInProgress condition, with upstream's texts, and when it may be written.

import type { Mode } from '../model/ownership.ts';
import type { ReasonOf } from '../model/reasons.ts';
import type { AnyRule, RuleTaints } from '../model/rule.ts';
import type { RuleCondition } from '../model/status.ts';
import type { Instant } from '../model/time.ts';
import { unowned } from './ownership.ts';
import { effectOf } from './ruleTaints.ts';

export const evictionInProgress = 'EvictionInProgress';

/** Upstream writes a condition at most this often per generation (docs/reference/rules.md 6.3). */
const throttle = 10_000;

export interface PreviewCounts {
  readonly published: number;
  readonly allocated: number;
  readonly pods: number;
  readonly namespaces: number;
}

export interface RuleFacts {
  readonly rule: Pick<AnyRule, 'kind' | 'generation'> & RuleTaints;
  readonly pending: { readonly pods: number; readonly namespaces: number };
  readonly evicted: number;
  /** Required for effect None. Without it no condition is written, since a count of 0 would be a promise. */
  readonly preview?: PreviewCounts;
  /** The pods of its plan (`sluice.dev/Plan`). Named where some taints have effect None: they are not among the pending ones. */
  readonly plan?: Pick<PreviewCounts, 'pods' | 'namespaces'>;
  /** If not `own`, the rule evicts no pod. */
  readonly mode?: Mode;
  /** A remark on the rule's selection; empty or absent if there is none. */
  readonly note?: string;
  /** The condition currently on the rule. */
  readonly previous?: RuleCondition;
  readonly now: Instant;
}

export type ConditionPlan =
  | { readonly kind: 'Write'; readonly condition: RuleCondition }
  | { readonly kind: 'Same' }
  | { readonly kind: 'Throttled'; readonly until: Instant };

export function ruleCondition(facts: RuleFacts): ConditionPlan {
  const { rule, previous, now } = facts;
  const text = describe(facts);
  if (!text) return { kind: 'Same' };
  const message = join(text.message, facts.note ?? '');
  const content = { type: evictionInProgress, ...text, message, observedGeneration: rule.generation };
  return conditionToWrite(content, { now, ...(previous ? { previous } : {}) });
}

/**
 * Whether a condition with `content` may be written now. lastTransitionTime changes with every change of any part, as upstream's does, and
 * is the clock of the throttle. A stored time after `now` does not throttle: a broken clock must not block a rule's status for years.
 */
export function conditionToWrite(
  content: Content,
  { previous, now }: Pick<RuleFacts, 'previous' | 'now'>,
): ConditionPlan {
  if (previous && isSame(previous, content)) return { kind: 'Same' };
  const age = previous ? now - previous.lastTransitionTime : throttle;
  if (previous?.observedGeneration === content.observedGeneration && age >= 0 && age < throttle) {
    return { kind: 'Throttled', until: previous.lastTransitionTime + throttle };
  }
  return { kind: 'Write', condition: { ...content, lastTransitionTime: now } };
}

type Content = Omit<RuleCondition, 'lastTransitionTime'>;

function isSame(a: Content, b: Content): boolean {
  return (
    a.status === b.status &&
    a.reason === b.reason &&
    a.message === b.message &&
    a.observedGeneration === b.observedGeneration
  );
}

type Text = Pick<Content, 'status' | 'message'> & { readonly reason: ReasonOf<typeof evictionInProgress> };

function describe(facts: RuleFacts): Text | undefined {
  const evicted = facts.evicted > 0 ? `${count(facts.evicted, 'pod')} evicted since starting the controller.` : '';
  switch (effectOf(facts.rule)) {
    case 'NoExecute':
      if (facts.mode !== undefined && facts.mode !== 'own') {
        const { reason, message } = unowned(facts.mode);
        return { status: 'False', reason, message: join(message, evicted) };
      }
      return describeEviction(facts, join(describePlan(facts), evicted));
    case 'None':
      return (
        facts.preview && {
          status: 'False',
          reason: 'NoEffect',
          message: join(describePreview(facts.preview, facts.rule), evicted),
        }
      );
    default:
      return {
        status: 'False',
        reason: 'OtherEffect',
        message: join('Eviction only happens for the NoExecute effect.', evicted),
      };
  }
}

function describeEviction({ pending, evicted }: RuleFacts, more: string): Text {
  if (pending.pods > 0) {
    const needs = pending.pods === 1 ? '1 pod needs' : `${pending.pods} pods need`;
    return {
      status: 'True',
      reason: 'PodsPendingEviction',
      message: join(`${needs} to be evicted in ${namespaces(pending.namespaces)}.`, more),
    };
  }
  return { status: 'False', reason: evicted > 0 ? 'Completed' : 'NotStarted', message: more };
}

function describePlan({ rule, plan }: RuleFacts): string {
  const isMixed = 'taints' in rule && rule.taints.some(({ effect }) => effect === 'None');
  return isMixed && plan
    ? `The plan of the rule has ${count(plan.pods, 'pod')} in ${namespaces(plan.namespaces)}.`
    : '';
}

function describePreview(
  { published, allocated, pods, namespaces: spaces }: PreviewCounts,
  { kind }: Pick<AnyRule, 'kind'>,
): string {
  return (
    `${count(published, 'published device')} selected. ${count(allocated, 'allocated device')} selected. ` +
    `${count(pods, 'pod')} would be evicted in ${namespaces(spaces)} if the effect was NoExecute. ` +
    `This information will not be updated again. Recreate the ${kind} to trigger an update.`
  );
}

function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`;
}

function namespaces(n: number): string {
  return n === 1 ? '1 namespace' : `${n} different namespaces`;
}

function join(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(' ');
}
