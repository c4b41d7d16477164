// Imported before a function's bundle (`node --import`): tells the parent how much the process has held at most.
import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';

/** Bytes of `heapUsed + external`. */
export interface MemoryReport {
  readonly kind: 'Memory';
  /** What is garbage already counts. */
  readonly peak: number;
  /** Right after a full collection: what is really held. */
  readonly kept: number;
}

const every = 10;
const reportEvery = 500;
let [peak, kept] = [0, 0];

/** The two figures of process.memoryUsage(), without the cost of its others. */
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
