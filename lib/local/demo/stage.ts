// What an act of the demo plays with: it says a sentence, waits for what that promises, and finds its rule in the newest picture.
import type { Instant, Milliseconds } from '../../model/time.ts';
import type { Clock } from '../../ports.ts';
import type { ClusterProgress, LimiterProgress } from '../../view/progress.ts';
import type { Chapter } from '../../view/screenSnapshot.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { Operator } from './operator.ts';

export interface StoryOptions {
  readonly cluster: Cluster;
  readonly operator: Operator;
  readonly clock: Clock;
  /** The newest picture; undefined before the first one. */
  readonly progress: () => ClusterProgress | undefined;
  readonly signal: AbortSignal;
}

export interface Stage extends StoryOptions {
  say(watch: string, until?: Instant): void;
  /** Until it holds, at most for `most` milliseconds; at once where the demo ends. */
  wait(holds: () => boolean, most?: Milliseconds): Promise<void>;
}

/** Acts that wait for a new picture. */
export type Waiting = Set<() => void>;

/** How long a step waits for what it expects before the tutorial continues without it. */
const patience: Milliseconds = 120_000;
/** Between two looks where there is no new picture. */
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
    async wait(holds, most = patience) {
      const end = clock.now() + most;
      while (!signal.aborted && clock.now() < end && !holds()) {
        const { seen, forget } = newPicture();
        await Promise.race([clock.sleep(interval), seen]);
        forget();
      }
    },
  };
}

export function limiterOf(stage: Stage, uid: string | undefined): LimiterProgress | undefined {
  return stage.progress()?.limiters.find(({ limiter }) => uid !== undefined && limiter.includes(uid));
}

export function uidOf({ cluster }: Stage, plural: string, name: string): string | undefined {
  return cluster.store.get(cluster.resource(plural), name)?.metadata.uid;
}

/** All of its pods are evicted, or someone deleted the rule. */
export function isOver(stage: Stage, plural: string, name: string, uid: string | undefined): boolean {
  const limiter = limiterOf(stage, uid);
  return (limiter?.state === 'Completed' && !limiter.isEvaluating) || uidOf(stage, plural, name) !== uid;
}
