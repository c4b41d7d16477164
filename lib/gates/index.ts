// All gates in evaluation order, and the queries that the evict stage, `why`, conditions and pages make of them.
import { approval } from './approval.ts';
import { budget } from './budget.ts';
import { canary } from './canary.ts';
import { clusterLimit } from './clusterLimit.ts';
import { dueTime } from './dueTime.ts';
import { expiry } from './expiry.ts';
import { failure } from './failure.ts';
import type { Asked, Because, Counted, Gate, LimiterFacts, PodFacts, Scope } from './gate.ts';
import { heartbeat } from './heartbeat.ts';
import { loop } from './loop.ts';
import { maxPerNode } from './maxPerNode.ts';
import { maxPerPool } from './maxPerPool.ts';
import { maxPerWorkload } from './maxPerWorkload.ts';
import { mode } from './mode.ts';
import { pause } from './pause.ts';
import { pausedNamespace } from './pausedNamespace.ts';
import { pausedRule } from './pausedRule.ts';
import { policy } from './policy.ts';
import { rate } from './rate.ts';
import { stop } from './stop.ts';
import { window } from './window.ts';

export const gates: readonly Gate[] = [
  mode,
  stop,
  pause,
  heartbeat,
  pausedRule,
  pausedNamespace,
  expiry,
  policy,
  window,
  approval,
  canary,
  rate,
  clusterLimit,
  dueTime,
  budget,
  failure,
  loop,
  maxPerNode,
  maxPerWorkload,
  maxPerPool,
];

/** How many pods of a limiter may be evicted now; if 0, the reasons, in the order of the gates. */
export function roomOf(facts: LimiterFacts): { readonly most: number; readonly because: readonly Because[] } {
  const rooms = gates.flatMap((gate) => gate.room?.(facts) ?? []);
  return {
    most: Math.min(...rooms.map(({ most }) => most)),
    because: rooms.flatMap(({ because }) => because ?? []),
  };
}

/** What the caller must read before a pod can be admitted. */
export function askedOf(
  pod: Pick<PodFacts, 'pod' | 'ledger'>,
  facts: LimiterFacts,
): Required<Pick<Asked, 'scopes' | 'isRelative'>> & Pick<Asked, 'rounds'> {
  // Stryker disable next-line ArrayDeclaration: a text asks for nothing either
  const asked = gates.flatMap((gate) => gate.asks?.(pod, facts) ?? []);
  const rounds = asked.find((one) => one.rounds)?.rounds;
  return {
    scopes: asked.flatMap(({ scopes }) => scopes ?? []),
    isRelative: asked.some(({ isRelative }) => isRelative),
    ...(rounds ? { rounds } : {}),
  };
}

/** Admits one pod, with what its eviction counts in, or returns the first gate that holds the pod. */
export function admit(
  pod: PodFacts,
  facts: LimiterFacts,
): { readonly kind: 'Admitted'; readonly counted: readonly Counted[] } | Kept {
  const counted: Counted[] = [];
  for (const gate of gates) {
    const admission = gate.admits?.(pod, facts);
    if (admission?.kind === 'Kept') return { ...admission, gate: gate.name };
    counted.push(...(admission?.counted ?? []));
  }
  return { kind: 'Admitted', counted };
}

export type Kept = Extract<ReturnType<NonNullable<Gate['admits']>>, { kind: 'Kept' }> & { readonly gate: string };

/** All reasons that hold one pod now, one sentence for each gate. */
export function keepers(pod: PodFacts, facts: LimiterFacts): readonly Because[] {
  const kept = gates.flatMap((gate) => {
    const admission = gate.admits?.(pod, facts);
    return admission?.kind === 'Kept' ? [admission.because] : [];
  });
  return [...roomOf(facts).because, ...kept];
}

/** Whether a policy limits evictions in flight, so that a pod that is gone may free a place. */
export function countsInFlight(policy: LimiterFacts['policy']): boolean {
  return inFlightLimits(policy).length > 0;
}

/** The fields of these limits. */
export function inFlightLimits(policy: LimiterFacts['policy']): readonly string[] {
  const limits = policy?.limits;
  return inFlightFields.filter((field) => limits?.[field] !== undefined);
}

const inFlightFields = ['maxPerNode', 'maxPerWorkload', 'maxPerPool'] as const;

export function scopeKey({ kind, of }: Scope): string {
  return `${kind}|${of}`;
}
