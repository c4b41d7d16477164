// Measures the live heap of a step while it reads, after garbage collections.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Used heap in bytes after a garbage collection. */
export function heapHeld(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

/** Tracks the maximum heap growth in bytes since the first look. */
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
