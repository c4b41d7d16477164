// Eviction modes: a due pod is deleted, evicted through the Eviction API (PDBs apply), left to complete, or kept.
import type { LimiterId, Listing } from '../model/eviction.ts';
import type { Namespace } from '../model/namespace.ts';
import type { Pod } from '../model/objects.ts';
import type { EvictionMode, EvictionPolicy } from '../model/policy.ts';
import { farFuture, type Instant, type Milliseconds, parseDuration } from '../model/time.ts';
import { namespaceHold } from './hold.ts';
import { policyOf, type RuleSet } from './rate.ts';

/** Label on a pod or its namespace: `Delete`, `Evict`, `WaitForCompletion` or `Skip`. Any other value keeps the pod. */
export const modeLabel = 'sluice.dev/eviction-mode';

/** Label on a pod or its namespace: how long after the due time `Evict` and `WaitForCompletion` delay the DELETE: `90s`, `45m` or `2h`. */
export const deadlineLabel = 'sluice.dev/eviction-deadline';

export interface WayToGo {
  readonly mode: EvictionMode;
  /** From the due time. After it the pod is deleted in any case. Only `Evict` and `WaitForCompletion` have one. */
  readonly deadline: Milliseconds;
  /** Where the mode is set, in words; absent if it is the default. */
  readonly saidBy?: string;
  /** The error in a label; the mode is then `Skip`. */
  readonly problem?: string;
  /** The pause of its namespace, in words; the mode is then `Skip`. */
  readonly paused?: string;
}

/** Where the mode can be set, in order of precedence. */
export interface ModeSources {
  readonly pod: Pick<Pod, 'labels'>;
  readonly namespace?: Pick<Namespace, 'name' | 'labels' | 'annotations'> | undefined;
  readonly policy?: Pick<EvictionPolicy, 'name' | 'mode' | 'modeDeadline'> | undefined;
}

const defaultDeadline: Milliseconds = 3_600_000;

/** Mode and deadline each come from the first source that sets them: pod label, namespace label, policy. A paused namespace precedes all. */
export function wayToGo(sources: ModeSources): WayToGo {
  const { policy } = sources;
  const paused = namespaceHold(sources.namespace)?.message;
  if (paused !== undefined) return { mode: 'Skip', deadline: 0, paused };
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
  /** Name of the label and of its object, in words. */
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

/** The eviction mode of a pod under each limiter: taints may have different policies. */
export function waysUnder(pod: Pick<Pod, 'namespace' | 'labels'>, ruleSet: RuleSet): (limiter: LimiterId) => WayToGo {
  const namespace = ruleSet.namespaces?.get(pod.namespace);
  return (limiter) => wayToGo({ pod, namespace, policy: policyOf(limiter, ruleSet) });
}

/** Due times with the delay of the pod's mode under each limiter. */
export function delayedBy(wayOf: (limiter: LimiterId) => WayToGo, listings: readonly Listing[]): readonly Listing[] {
  return listings.map(({ limiter, dueAt }) => {
    const { mode, deadline } = wayOf(limiter);
    if (mode === 'Skip') return { limiter, dueAt: farFuture };
    return { limiter, dueAt: mode === 'WaitForCompletion' ? Math.min(dueAt + deadline, farFuture) : dueAt };
  });
}

/** The request for a pod that is due since `due`: DELETE or the Eviction API. */
export function requestFor(
  { mode, deadline }: WayToGo,
  { due, now }: { readonly due: Instant; readonly now: Instant },
): 'Delete' | 'Evict' {
  return mode === 'Evict' && now < due + deadline ? 'Evict' : 'Delete';
}

const firstBackoff: Milliseconds = 10_000;
const longestBackoff: Milliseconds = 300_000;

/** Wait after a PDB refused the eviction `times` times: a blocked pod must not use up the rate. */
export function backoffAfter(times: number): Milliseconds {
  return Math.min(longestBackoff, firstBackoff * 2 ** Math.min(times - 1, 10));
}

/** Wait after the API server failed to evict the pod `times` times; other pods are evicted meanwhile. */
export function retryAfter(times: number): Milliseconds {
  return Math.min(60_000, 3000 * 2 ** Math.min(times, 5));
}

/** In words; `undefined` for a pod that is deleted as usual, and where a pause of its namespace counts instead. */
export function describeWay({ mode, deadline, saidBy, problem, paused }: WayToGo): string | undefined {
  if (paused !== undefined) return undefined;
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
