// How many pods one process evicts side by side: as many as table and API server bear.
import { concurrencyLimits, nextConcurrency, type StartOutcome } from '../../decide/concurrency.ts';

/** Gives the place back; called once, without an outcome where the pod says nothing of how fast evictions are. */
export type Leave = (outcome: StartOutcome | undefined) => void;

export interface Concurrency {
  /** `undefined` while all places are taken. */
  tryEnter(): Leave | undefined;
  /** How many there are, taken ones too. */
  places(): number;
  /** Settles when a place may have become free. */
  changed(): Promise<void>;
}

export function createConcurrency(first: number = concurrencyLimits.first): Concurrency {
  let limit = first;
  let busy = 0;
  let halvings = 0;
  let waiting: (() => void)[] = [];
  return {
    tryEnter() {
      if (busy >= limit) return undefined;
      busy++;
      const entered = halvings;
      return (outcome) => {
        busy--;
        // Those that were started together are slow together, which is one reason to start fewer.
        if (outcome === 'InTime' || (outcome === 'Slow' && entered === halvings))
          limit = nextConcurrency(limit, outcome);
        if (outcome === 'Slow' && entered === halvings) halvings++;
        const told = waiting;
        waiting = [];
        for (const tell of told) tell();
      };
    },
    places: () => limit,
    changed: () => new Promise((resolve) => waiting.push(resolve)),
  };
}
