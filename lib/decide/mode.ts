// In what way a pod goes when its time has come: deleted, evicted under its disruption budgets, left to finish, or not at all.
import type { Listing } from '../model/eviction.ts';
import type { Pod } from '../model/objects.ts';
import { farFuture, type Instant, type Milliseconds } from '../model/time.ts';

/** On a pod: `Delete` (as without the label), `Evict`, `WaitForCompletion` or `Skip`. Anything else keeps the pod. */
export const modeLabel = 'sluice.dev/eviction-mode';

/** On a pod: how long `Evict` and `WaitForCompletion` hold back the DELETE, from the pod's due time on; `90s`, `45m` or `2h`. */
export const deadlineLabel = 'sluice.dev/eviction-deadline';

export type EvictionMode = 'Delete' | 'Evict' | 'WaitForCompletion' | 'Skip';

export interface WayToGo {
  readonly mode: EvictionMode;
  /** After it the pod is deleted all the same; only `Evict` and `WaitForCompletion` have one. */
  readonly deadline: Milliseconds;
  /** What is wrong with a label; the mode is then `Skip`. */
  readonly problem?: string;
}

const defaultDeadline: Milliseconds = 3_600_000;

const units: Readonly<Record<string, Milliseconds>> = { s: 1000, m: 60_000, h: 3_600_000 };

export function wayToGo({ labels = {} }: Pick<Pod, 'labels'>): WayToGo {
  const mode = parseMode(labels[modeLabel] ?? 'Delete');
  if (!mode) return unusable(modeLabel, labels[modeLabel], 'Delete, Evict, WaitForCompletion or Skip');
  const text = labels[deadlineLabel];
  const deadline = text === undefined ? defaultDeadline : parseDeadline(text);
  return deadline === undefined
    ? unusable(deadlineLabel, text, 'a duration such as 90s, 45m or 2h')
    : { mode, deadline };
}

function parseMode(text: string): EvictionMode | undefined {
  return (['Delete', 'Evict', 'WaitForCompletion', 'Skip'] as const).find((mode) => mode === text);
}

function parseDeadline(text: string): Milliseconds | undefined {
  // Stryker disable next-line StringLiteral,ArrayDeclaration: the unit comes with the number, and what does not match has neither
  const [, n, unit = ''] = /^(\d{1,6})([smh])$/.exec(text) ?? [];
  return n === undefined ? undefined : Number(n) * (units[unit] ?? 0);
}

function unusable(label: string, value: string | undefined, wanted: string): WayToGo {
  const problem = `its label ${label} is "${value}", which is not ${wanted}: it stays until that is mended`;
  return { mode: 'Skip', deadline: 0, problem };
}

/** Whether the pod stays whatever taints say. */
export function isSkipped(pod: Pick<Pod, 'labels'>): boolean {
  return wayToGo(pod).mode === 'Skip';
}

/** The times at which a limiter may let the pod go: those of its taints, later where the pod's mode says so. */
export function delayedBy(pod: Pick<Pod, 'labels'>, listings: readonly Listing[]): readonly Listing[] {
  const { mode, deadline } = wayToGo(pod);
  if (mode === 'Skip') return listings.map(({ limiter }) => ({ limiter, dueAt: farFuture }));
  if (mode !== 'WaitForCompletion') return listings;
  return listings.map(({ limiter, dueAt }) => ({ limiter, dueAt: Math.min(dueAt + deadline, farFuture) }));
}

/** Which request lets a pod go that has been due since `due`. */
export function requestFor(
  pod: Pick<Pod, 'labels'>,
  { due, now }: { readonly due: Instant; readonly now: Instant },
): 'Delete' | 'Evict' {
  const { mode, deadline } = wayToGo(pod);
  return mode === 'Evict' && now < due + deadline ? 'Evict' : 'Delete';
}

const firstBackoff: Milliseconds = 10_000;
const longestBackoff: Milliseconds = 300_000;

/** For how long a pod is left alone that its disruption budgets have kept so many times: a blocked pod must not use up the pace. */
export function backoffAfter(times: number): Milliseconds {
  return Math.min(longestBackoff, firstBackoff * 2 ** Math.min(times - 1, 10));
}

/** For people; `undefined` for a pod that is deleted as usual. */
export function describeWay(pod: Pick<Pod, 'labels'>): string | undefined {
  const { mode, deadline, problem } = wayToGo(pod);
  const until = `at the latest ${deadline / 1000} s after it was due`;
  switch (mode) {
    case 'Delete':
      return undefined;
    case 'Skip':
      return problem ?? `its label ${modeLabel} is Skip: it is never evicted`;
    case 'Evict':
      return `it goes when its disruption budgets allow it, ${until}`;
    case 'WaitForCompletion':
      return `it may finish first, and goes ${until}`;
    // Stryker disable next-line ConditionalExpression: there is no other kind
    default:
      return mode satisfies never;
  }
}
