// Imported before a function's bundle (`node --import`): reports the peak memory of the process to its parent.
import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';

/** Bytes of `heapUsed + external`. */
export interface MemoryReport {
  readonly kind: 'Memory';
  /** Including garbage. */
  readonly peak: number;
  /** After a full garbage collection: live memory. */
  readonly kept: number;
}

const every = 10;
const reportEvery = 500;
let [peak, kept] = [0, 0];

/** heapUsed and external like process.memoryUsage(), without the cost of the other values. */
function held(): number {
  const { used_heap_size: heap, external_memory: external } = getHeapStatistics();
  return heap + external;
}

export function sample(): MemoryReport {
  peak = Math.max(peak, held());
  return { kind: 'Memory', peak, kept };
}

const major = 4;
new PerformanceObserver((list) => {
  const isFull = list
    .getEntries()
    .some((entry) => (entry as { readonly detail?: { readonly kind?: number } }).detail?.kind === major);
  if (isFull) kept = Math.max(kept, held());
}).observe({ entryTypes: ['gc'] });
setInterval(sample, every).unref();
setInterval(() => process.send?.(sample()), reportEvery).unref();
