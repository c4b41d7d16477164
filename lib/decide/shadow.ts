// Compares what Sluice would have done with a pod with what happened to it.
import type { Pod } from '../model/objects.ts';
import type { Difference, ShadowDecision } from '../model/shadow.ts';
import type { Instant, Milliseconds } from '../model/time.ts';
import type { Verdict } from '../model/verdict.ts';

/** Watches are not in step with each other, and a controller that evicts takes its time: nothing earlier is a difference. */
export const shadowSlack: Milliseconds = 60_000;

/** A row of the table stays small, however many devices a pod uses. */
const reasonsKept = 3;

export interface Comparison {
  /** What to keep with the pod; absent: nothing. */
  readonly decision?: ShadowDecision;
  /** What has come to light with this look. */
  readonly found?: Difference | 'Agreed';
}

export interface Look {
  readonly pod: Pod;
  /** The pod has been deleted; `pod` is its last state. */
  readonly gone: boolean;
  /** Of the taints that are only watched. */
  readonly verdict: Verdict;
  readonly before: ShadowDecision | undefined;
  /** Sluice deleted it, for taints that it owns. */
  readonly isOwnDelete: boolean;
  /** Native taints are only watched, so that the in-tree controller ought to do as Sluice would. */
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
  // Who learns only now that a pod was due long ago gives the other controller as much time as itself.
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
  // The taint that it went for may not have been seen here yet.
  const check = endedAt + shadowSlack;
  return check <= now ? settled(ended, 'NotExpected') : { decision: { ...ended, check } };
}

function settled(decision: ShadowDecision, found: Difference | 'Agreed'): Comparison {
  return { decision: { ...decision, found }, found };
}
