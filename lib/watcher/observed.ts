// The state that the watcher's probes and metrics read.
import type { Outbox } from './outbox.ts';
import type { Watcher } from './watcher.ts';

/** `watcher` is absent until a cluster has been found; `problem` says why. */
export interface Observed {
  readonly outbox: Outbox;
  watcher: Watcher | undefined;
  problem: string | undefined;
}
