// What a step holds of what it reads: the heap after a collection, while it reads.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Bytes that are in use. */
export function heapHeld(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

/** The most bytes that were held beyond those at the first of many looks. */
export function createHeapWatch(): { look(): void; readonly peak: number } {
  let first: number | undefined;
  let peak = 0;
  return {
    look() {
      const held = heapHeld();
      first ??= held;
      peak = Math.max(peak, held - first);
    },
    get peak() {
      return peak;
    },
  };
}
