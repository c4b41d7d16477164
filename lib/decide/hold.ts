// Why a rule with due pods is held: it is paused, it has expired, or its policy holds it; and why all pods of a namespace are.

import { type Hold, pausedBy } from '../model/hold.ts';
import type { Namespace } from '../model/namespace.ts';
import { describePauses, type Pause } from '../model/pause.ts';
import type { TaintRule } from '../model/rule.ts';
import { type Instant, parseInstant } from '../model/time.ts';
import { pausesOf } from './pauses.ts';
import { policyHold } from './policy.ts';

/** RFC 3339. After this time the rule evicts no pod. Sluice never edits the rule itself. */
export const expiresAtAnnotation = 'sluice.dev/expires-at';

type Holdable = Pick<TaintRule, 'annotations' | 'paused' | 'expiresAt' | 'policy'>;

/** A held rule evicts no pod, but its pending evictions are not cancelled; later there is no catch-up burst. */
export function holdOf(rule: Holdable, now: Instant): Hold | undefined {
  return pauseHold(rule) ?? expiryHold(rule, now) ?? (rule.policy && policyHold(rule.policy, now));
}

export function pauseHold({ annotations = {}, paused }: Holdable): Hold | undefined {
  const pauses = [...(paused ? ['spec.paused'] : []), ...pausesOf(annotations)];
  return pauses.length > 0 ? { reason: 'Paused', message: `${pausedBy}${pauses.join('; ')}.` } : undefined;
}

/** Holds every pod of the namespace, whatever mode its label sets. */
export function namespaceHold(namespace: Pick<Namespace, 'name' | 'annotations'> | undefined): Hold | undefined {
  const pauses = pausesOf(namespace?.annotations ?? {});
  if (!namespace || pauses.length === 0) return undefined;
  return { reason: 'Paused', message: `Its namespace ${namespace.name} is paused by ${pauses.join('; ')}.` };
}

/** `pauses`: of the rule's cluster, or of all clusters. */
export function clusterPauseHold(pauses: readonly Pause[]): Hold | undefined {
  return pauses.length > 0 ? { reason: 'Paused', message: `${pausedBy}${describePauses(pauses)}.` } : undefined;
}

export function expiryHold({ annotations = {}, expiresAt: spec }: Holdable, now: Instant): Hold | undefined {
  for (const [field, text] of [
    ['spec.expiresAt', spec] as const,
    [expiresAtAnnotation, annotations[expiresAtAnnotation]] as const,
  ]) {
    const hold = text === undefined ? undefined : expired({ field, text, now });
    if (hold) return hold;
  }
  return undefined;
}

function expired({ field, text, now }: { field: string; text: string; now: Instant }): Hold | undefined {
  const expiresAt = parseInstant(text);
  if (expiresAt === undefined) {
    const message = `${field} is "${text}", which is not an RFC 3339 time: no pod is evicted until it is fixed or removed.`;
    return { reason: 'ExpiryUnreadable', message };
  }
  return expiresAt <= now
    ? { reason: 'Expired', message: `Expired at ${text}: no pod is evicted any more.` }
    : undefined;
}

/** The earlier of field and annotation; `undefined` if neither holds a readable time. */
export function expiryOf({ annotations = {}, expiresAt }: Holdable): Instant | undefined {
  const times = [expiresAt, annotations[expiresAtAnnotation]].flatMap((text) => parseInstant(text) ?? []);
  return times.length === 0 ? undefined : Math.min(...times);
}
