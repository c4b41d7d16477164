// Lets as many pods through to the evictor as it can delete in time, in the order in which they came.
import { type LaneOutcome, laneLimits, nextLanes } from '../decide/lanes.ts';

export interface Lanes {
  /** Waits for a free lane. What it answers with gives the lane back, and has to be called once. */
  enter(): Promise<(outcome: LaneOutcome | undefined) => void>;
}

/** By table, because what is slow for one is slow for all that share it: this process's messages and clusters. */
const known = new WeakMap<object, Lanes>();

export function lanesOf(table: object): Lanes {
  const lanes = known.get(table) ?? createLanes();
  known.set(table, lanes);
  return lanes;
}

export function createLanes(first: number = laneLimits.first): Lanes {
  let limit = first;
  let busy = 0;
  let halvings = 0;
  const waiting: (() => void)[] = [];
  const admit = () => {
    while (busy < limit && waiting.length > 0) {
      busy++;
      waiting.shift()?.();
    }
  };
  return {
    async enter() {
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        admit();
      });
      const entered = halvings;
      return (outcome) => {
        busy--;
        // Those that were let in together are late together, which is one reason to let fewer in.
        if (outcome === 'InTime' || (outcome === 'Late' && entered === halvings)) limit = nextLanes(limit, outcome);
        if (outcome === 'Late' && entered === halvings) halvings++;
        admit();
      };
    },
  };
}
