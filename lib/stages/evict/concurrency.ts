// Adapts how many pods one process evicts concurrently to the latency of table and API server.
import { concurrencyLimits, nextConcurrency, type StartOutcome } from '../../decide/concurrency.ts';
import type { Milliseconds } from '../../model/time.ts';

/** Frees the place; call it once. `outcome` is absent where the pod tells nothing about latency. `took`: time since its token. */
export type Leave = (outcome: StartOutcome | undefined, took?: Milliseconds) => void;

export interface Concurrency {
  /** `undefined` while all places are taken. */
  tryEnter(): Leave | undefined;
  isFull(): boolean;
  /** Number of places, including those in use. */
  places(): number;
  /** Resolves when a place may have become free. */
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
        // Pods that started before the last halving are slow for the same reason; halve once for all of them.
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
