// What the watcher's probes and metrics look at.
import type { Outbox } from './outbox.ts';
import type { Watcher } from './watcher.ts';

/** What there is to tell; `watcher` is absent until a cluster has been found, and `problem` says why. */
export interface Observed {
  readonly outbox: Outbox;
  watcher: Watcher | undefined;
  problem: string | undefined;
}
