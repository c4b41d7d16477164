// Compares Sluice's decision on a pod with what happened to the pod (mode `shadow`).
import type { Pod } from '../model/objects.ts';
import type { Difference, ShadowDecision } from '../model/shadow.ts';
import type { Instant, Milliseconds } from '../model/time.ts';
import type { Verdict } from '../model/verdict.ts';

/** Watches lag behind each other, and the other controller needs time: a deviation within this time is not a difference. */
export const shadowSlack: Milliseconds = 60_000;

/** Bounds the size of a row, however many devices a pod uses. */
const reasonsKept = 3;

export interface Comparison {
  /** What to store with the pod; absent: nothing. */
  readonly decision?: ShadowDecision;
  /** The result of this comparison, if there is one. */
  readonly found?: Difference | 'Agreed';
}

export interface Look {
  readonly pod: Pod;
  /** The pod has been deleted; `pod` is its last state. */
  readonly gone: boolean;
  /** Verdict from the taints of sources in mode `shadow`. */
  readonly verdict: Verdict;
  readonly before: ShadowDecision | undefined;
  /** Sluice itself deleted the pod, for taints of a source in mode `own`. */
  readonly isOwnDelete: boolean;
  /** Native taints are in mode `shadow`, so the in-tree controller is expected to decide as Sluice would. */
  readonly watchesInTree: boolean;
  readonly now: Instant;
}

export function compareShadow(look: Look): Comparison {
  const { pod } = look;
  const before = look.before?.podUid === pod.uid ? look.before : undefined;
  const isEnding = look.gone || pod.deletionTimestamp !== undefined;
  if (before?.found !== undefined && (isEnding || before.found !== 'NotDeleted')) return { decision: before };
  return isEnding ? lookAtEnding(look, before) : lookAtLiving(look, before);
}

function lookAtLiving({ pod, verdict, now }: Look, before: ShadowDecision | undefined): Comparison {
  if (verdict.kind !== 'EvictAt') return {};
  const { at } = verdict;
  const decided = { podUid: pod.uid, at, because: verdict.because.slice(0, reasonsKept) };
  if (before?.found !== undefined) return { decision: { ...decided, found: before.found } };
  // If Sluice learns late that the pod was due, the other controller gets the full slack from now on.
  const known = before?.at === at ? before.check : undefined;
  const check = known ?? Math.max(at, now) + shadowSlack;
  return check <= now ? settled(decided, 'NotDeleted') : { decision: { ...decided, check } };
}

function lookAtEnding(look: Look, before: ShadowDecision | undefined): Comparison {
  const { pod, verdict, now } = look;
  if (look.isOwnDelete) return {};
  const endedAt = before?.endedAt ?? now;
  const { at, because } = verdict.kind === 'EvictAt' ? verdict : { at: before?.at, because: before?.because ?? [] };
  const ended = { podUid: pod.uid, because: because.slice(0, reasonsKept), endedAt };
  if (at !== undefined && pod.markedBy === 'InTree')
    return settled({ ...ended, at }, at - endedAt > shadowSlack ? 'DeletedEarly' : 'Agreed');
  if (at !== undefined) return at <= endedAt ? settled({ ...ended, at }, 'DeletedByOther') : {};
  if (pod.markedBy !== 'InTree' || !look.watchesInTree) return {};
  // The taint that the pod was evicted for may not have arrived here yet.
  const check = endedAt + shadowSlack;
  return check <= now ? settled(ended, 'NotExpected') : { decision: { ...ended, check } };
}

function settled(decision: ShadowDecision, found: Difference | 'Agreed'): Comparison {
  return { decision: { ...decision, found }, found };
}
