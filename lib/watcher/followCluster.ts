// Follows a cluster through its incarnations: each one is listed and watched from the start, and named in every message.
import { createLiveCluster } from '../adapters/kubernetes/liveCluster.ts';
import type { Incarnation } from '../model/identity.ts';
import { backoff, createComplaint, pause } from './pauses.ts';
import { startWatcher, type Watcher, type WatcherDependencies } from './watcher.ts';

/** The incarnation is added for each watcher. */
export type FollowOptions = Omit<WatcherDependencies, 'incarnation' | 'readIncarnation'> & {
  readonly onWatcher?: (watcher: Watcher) => void;
};

/** Ends when the signal is aborted; the outbox may still hold changes to send. */
export async function followCluster({ onWatcher, ...deps }: FollowOptions): Promise<void> {
  const { incarnation: readIncarnation } = createLiveCluster(deps.client);
  const complaint = createComplaint(deps.log, deps.clock);
  for (let failures = 0; !deps.signal.aborted; ) {
    const live = await readIncarnation();
    if (live.kind === 'Found') {
      failures = 0;
      complaint.settle('the incarnation of the cluster can be read again');
      await watch(deps, live.incarnation);
      continue;
    }
    complaint.say(`the incarnation of the cluster cannot be read: ${live.why}`);
    await pause(deps.signal, Math.max(1000, backoff(++failures)));
  }

  function watch(by: typeof deps, incarnation: Incarnation): Promise<void> {
    by.log.info('watching the cluster', { incarnation });
    const watcher = startWatcher({ ...by, incarnation, readIncarnation });
    onWatcher?.(watcher);
    return watcher.done;
  }
}
