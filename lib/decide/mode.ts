// Eviction modes: how a due pod is evicted: deleted, evicted under its disruption budgets, left to finish, or kept.
import type { LimiterId, Listing } from '../model/eviction.ts';
import type { Namespace } from '../model/namespace.ts';
import type { Pod } from '../model/objects.ts';
import type { EvictionMode, EvictionPolicy } from '../model/policy.ts';
import { farFuture, type Instant, type Milliseconds, parseDuration } from '../model/time.ts';
import { policyOf, type RuleSet } from './rate.ts';

/** On a pod or its namespace: `Delete`, `Evict`, `WaitForCompletion` or `Skip`. Anything else keeps the pod. */
export const modeLabel = 'sluice.dev/eviction-mode';

/** On a pod or its namespace: how long `Evict` and `WaitForCompletion` hold back the DELETE, from the pod's due time on; `90s`, `45m` or `2h`. */
export const deadlineLabel = 'sluice.dev/eviction-deadline';

export interface WayToGo {
  readonly mode: EvictionMode;
  /** After it the pod is deleted all the same; only `Evict` and `WaitForCompletion` have one. */
  readonly deadline: Milliseconds;
  /** Who says the mode, for people; absent where there is none. */
  readonly saidBy?: string;
  /** What is wrong with a label; the mode is then `Skip`. */
  readonly problem?: string;
}

/** Who may say how a pod goes, the first one before the others. */
export interface ModeSources {
  readonly pod: Pick<Pod, 'labels'>;
  readonly namespace?: Pick<Namespace, 'name' | 'labels'> | undefined;
  readonly policy?: Pick<EvictionPolicy, 'name' | 'mode' | 'modeDeadline'> | undefined;
}

const defaultDeadline: Milliseconds = 3_600_000;

/** Mode and deadline each come from the first that says it: the pod's label, the namespace's label, the policy. */
export function wayToGo(sources: ModeSources): WayToGo {
  const { policy } = sources;
  const mode = parsed(labelled(sources, modeLabel), parseMode, 'Delete, Evict, WaitForCompletion or Skip');
  if (mode?.kind === 'Problem') return { mode: 'Skip', deadline: 0, problem: mode.problem };
  const deadline = parsed(
    labelled(sources, deadlineLabel),
    parseDuration,
    'a duration such as 90s, 45m or 2h of at most 8784h',
  );
  if (deadline?.kind === 'Problem') return { mode: 'Skip', deadline: 0, problem: deadline.problem };
  const within = deadline?.value ?? policy?.modeDeadline ?? defaultDeadline;
  if (mode) return { mode: mode.value, deadline: within, saidBy: mode.label };
  if (policy?.mode) return { mode: policy.mode, deadline: within, saidBy: `mode of EvictionPolicy ${policy.name}` };
  return { mode: 'Delete', deadline: within };
}

interface Label {
  /** Whose it is, for people. */
  readonly label: string;
  readonly text: string;
}

function labelled({ pod, namespace }: ModeSources, key: string): Label | undefined {
  const own = pod.labels?.[key];
  if (own !== undefined) return { label: `its label ${key}`, text: own };
  const text = namespace?.labels?.[key];
  return namespace && text !== undefined
    ? { label: `the label ${key} of its namespace ${namespace.name}`, text }
    : undefined;
}

function parsed<T>(found: Label | undefined, parse: (text: string) => T | undefined, wanted: string) {
  if (!found) return undefined;
  const { label, text } = found;
  const value = parse(text);
  if (value !== undefined) return { kind: 'Value', value, label } as const;
  const problem = `${label} is "${text}", which is not ${wanted}: it stays until that is fixed`;
  return { kind: 'Problem', problem } as const;
}

function parseMode(text: string): EvictionMode | undefined {
  return (['Delete', 'Evict', 'WaitForCompletion', 'Skip'] as const).find((mode) => mode === text);
}

/** The way of one pod under each limiter: taints with different policies may disagree. */
export function waysUnder(pod: Pick<Pod, 'namespace' | 'labels'>, ruleSet: RuleSet): (limiter: LimiterId) => WayToGo {
  const namespace = ruleSet.namespaces?.get(pod.namespace);
  return (limiter) => wayToGo({ pod, namespace, policy: policyOf(limiter, ruleSet) });
}

/** The times at which limiters may let the pod go: those of its taints, later where its way under a limiter says so. */
export function delayedBy(wayOf: (limiter: LimiterId) => WayToGo, listings: readonly Listing[]): readonly Listing[] {
  return listings.map(({ limiter, dueAt }) => {
    const { mode, deadline } = wayOf(limiter);
    if (mode === 'Skip') return { limiter, dueAt: farFuture };
    return { limiter, dueAt: mode === 'WaitForCompletion' ? Math.min(dueAt + deadline, farFuture) : dueAt };
  });
}

/** Which request lets a pod go that has been due since `due`. */
export function requestFor(
  { mode, deadline }: WayToGo,
  { due, now }: { readonly due: Instant; readonly now: Instant },
): 'Delete' | 'Evict' {
  return mode === 'Evict' && now < due + deadline ? 'Evict' : 'Delete';
}

const firstBackoff: Milliseconds = 10_000;
const longestBackoff: Milliseconds = 300_000;

/** For how long a pod is left alone that its disruption budgets have kept so many times: a blocked pod must not use up the pace. */
export function backoffAfter(times: number): Milliseconds {
  return Math.min(longestBackoff, firstBackoff * 2 ** Math.min(times - 1, 10));
}

/** For how long a pod lets others go first that the API server failed to evict so many times. */
export function retryAfter(times: number): Milliseconds {
  return Math.min(60_000, 3000 * 2 ** Math.min(times, 5));
}

/** For people; `undefined` for a pod that is deleted as usual. */
export function describeWay({ mode, deadline, saidBy, problem }: WayToGo): string | undefined {
  const until = `at the latest ${deadline / 1000} s after it was due`;
  switch (mode) {
    case 'Delete':
      return undefined;
    case 'Skip':
      return problem ?? `${saidBy} is Skip: it is never evicted`;
    case 'Evict':
      return `it is evicted when its disruption budgets allow it, ${until} (${saidBy} is Evict)`;
    case 'WaitForCompletion':
      return `it may finish first, and is deleted ${until} (${saidBy} is WaitForCompletion)`;
    // Stryker disable next-line ConditionalExpression: there is no other kind
    default:
      return mode satisfies never;
  }
}
