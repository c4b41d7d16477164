// Chooses what a frame of the demo shows: numbers of the state table, fleet and sentence of one moment.
import type { Instant, Milliseconds } from '../../model/time.ts';
import type { ClusterProgress } from '../../view/progress.ts';
import type { Chapter, FleetSnapshot } from '../../view/screenSnapshot.ts';

export interface FrameParts {
  readonly progress: ClusterProgress;
  readonly fleet: FleetSnapshot;
  readonly chapter: Chapter;
}

export interface FrameRead extends FrameParts {
  /** Numbers and fleet are of one moment. */
  readonly agrees: boolean;
  /** EvictionStops of this moment in words: a frame from before a stop would deny it. */
  readonly stops: string;
}

/** How long the last frame of one moment is shown instead of a newer one that contradicts itself: what a person does shows within a second. */
const shownFor: Milliseconds = 800;

/** After this time the difference is not one of time: some pods tolerate a taint, or Sluice does not own its rules. */
const lastsFor: Milliseconds = 15_000;

/** Remembers the last frame of one moment. */
export function createFrames(): (read: FrameRead) => FrameParts {
  let last: FrameRead | undefined;
  let agreedAt: Instant | undefined;
  return (read) => {
    const { progress, fleet, chapter, agrees, stops } = read;
    if (agrees) last = read;
    if (agrees || agreedAt === undefined) agreedAt = progress.at;
    if (agrees) return { progress, fleet, chapter };
    const age = progress.at - agreedAt;
    if (last?.stops === stops && age < shownFor)
      return { progress: last.progress, fleet: last.fleet, chapter: last.chapter };
    const isCounting = age < lastsFor || progress.limiters.some(({ isEvaluating }) => isEvaluating);
    return { progress, fleet: isCounting ? { ...fleet, isCounting } : fleet, chapter };
  };
}
