// Tools for an act of the demo: show a sentence, wait for its effect, and find a rule in the latest progress.
import type { Instant, Milliseconds } from '../../model/time.ts';
import type { Clock } from '../../ports.ts';
import type { ClusterProgress, LimiterProgress } from '../../view/progress.ts';
import type { Chapter } from '../../view/screenSnapshot.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { Operator } from './operator.ts';
import { isPaused } from './pauses.ts';

export interface StoryOptions {
  readonly cluster: Cluster;
  readonly operator: Operator;
  readonly clock: Clock;
  /** Latest progress; undefined before the first one. */
  readonly progress: () => ClusterProgress | undefined;
  readonly signal: AbortSignal;
}

export interface Stage extends StoryOptions {
  say(watch: string, until?: Instant): void;
  /**
   * Waits until the condition holds, at most `most` milliseconds; by default, until no pod was evicted for two minutes. Time in which all
   * is paused does not count. Returns at once when the demo ends.
   */
  wait(holds: () => boolean, most?: Milliseconds): Promise<void>;
}

/** Callbacks of acts that wait for new progress. */
export type Waiting = Set<() => void>;

/** The tutorial continues anyway after this time without an eviction. */
const patience: Milliseconds = 120_000;
/** Interval between checks without new progress. */
const interval: Milliseconds = 250;

export function createStage(
  options: StoryOptions,
  by: { readonly waiting: Waiting; readonly show: (said: Pick<Chapter, 'watch' | 'until'>) => void },
): Stage {
  const { clock, signal } = options;
  const newPicture = (): { readonly seen: Promise<void>; readonly forget: () => void } => {
    const { promise: seen, resolve } = Promise.withResolvers<void>();
    by.waiting.add(resolve);
    return { seen, forget: () => void by.waiting.delete(resolve) };
  };
  return {
    ...options,
    say: (watch, until) => signal.aborted || by.show({ watch, ...(until === undefined ? {} : { until }) }),
    async wait(holds, most) {
      let end = clock.now() + (most ?? patience);
      let evicted = evictedIn(options.progress());
      while (!signal.aborted && clock.now() < end && !holds()) {
        // A person's pause stops the tutorial too, and on a busy machine an act takes as long as its evictions do.
        if (isPaused(options.cluster)) end = clock.now() + (most ?? patience);
        else if (most === undefined && evictedIn(options.progress()) !== evicted) {
          evicted = evictedIn(options.progress());
          end = clock.now() + patience;
        }
        const { seen, forget } = newPicture();
        await Promise.race([clock.sleep(interval), seen]);
        forget();
      }
    },
  };
}

function evictedIn(progress: ClusterProgress | undefined): number {
  return progress ? (progress.recent.total ?? progress.recent).evicted : 0;
}

export function limiterOf(stage: Stage, uid: string | undefined): LimiterProgress | undefined {
  return stage.progress()?.limiters.find(({ limiter }) => uid !== undefined && limiter.includes(uid));
}

export function uidOf({ cluster }: Stage, plural: string, name: string): string | undefined {
  return cluster.store.get(cluster.resource(plural), name)?.metadata.uid;
}

/** How the rule ended: all its pods are evicted, or the user deleted it. Absent until then. */
export function endOf(
  stage: Stage,
  plural: string,
  name: string,
  uid: string | undefined,
): 'Completed' | 'Deleted' | undefined {
  if (uidOf(stage, plural, name) !== uid) return 'Deleted';
  const limiter = limiterOf(stage, uid);
  return limiter?.state === 'Completed' && !limiter.isEvaluating ? 'Completed' : undefined;
}

/** Says that the rule evicts, or that something holds it, whichever is true, until it ended or `wait` gives up. */
export async function followRule(
  { say, wait }: Stage,
  { isHeld, isOver }: { readonly isHeld: () => boolean; readonly isOver: () => boolean },
  evicting: string,
): Promise<void> {
  for (let before: boolean | undefined; !isOver() && isHeld() !== before; ) {
    const held = isHeld();
    before = held;
    say(held ? 'The rule is held, so no pod is evicted. Its line below says why.' : evicting);
    await wait(() => isOver() || isHeld() !== held);
  }
}
