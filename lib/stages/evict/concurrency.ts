// How many pods one process evicts side by side: as many as table and API server bear.
import { concurrencyLimits, nextConcurrency, type StartOutcome } from '../../decide/concurrency.ts';
import type { Milliseconds } from '../../model/time.ts';

/** Gives the place back; called once, without an outcome where the pod says nothing of how fast evictions are. `took`: since its token. */
export type Leave = (outcome: StartOutcome | undefined, took?: Milliseconds) => void;

export interface Concurrency {
  /** `undefined` while all places are taken. */
  tryEnter(): Leave | undefined;
  isFull(): boolean;
  /** How many there are, taken ones too. */
  places(): number;
  /** Settles when a place may have become free. */
  changed(): Promise<void>;
}

export function createConcurrency(first: number = concurrencyLimits.first): Concurrency {
  let now = { limit: first, least: Number.POSITIVE_INFINITY };
  let busy = 0;
  let halvings = 0;
  let waiting: (() => void)[] = [];
  return {
    tryEnter() {
      if (busy >= Math.floor(now.limit)) return undefined;
      busy++;
      const entered = halvings;
      return (outcome, took = 0) => {
        busy--;
        // Those that were started together are slow together, which is one reason to start fewer.
        if (outcome === 'InTime' || (outcome === 'Slow' && entered === halvings))
          now = nextConcurrency(now, outcome, took);
        if (outcome === 'Slow' && entered === halvings) halvings++;
        const told = waiting;
        waiting = [];
        for (const tell of told) tell();
      };
    },
    isFull: () => busy >= Math.floor(now.limit),
    places: () => Math.floor(now.limit),
    changed: () => new Promise((resolve) => waiting.push(resolve)),
  };
}
