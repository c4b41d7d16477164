import path from 'node:path';
import { defineConfig } from 'vitest/config';

/** Tests against a real control plane, two files at a time: each starts its own, and mostly waits for it. Started by run.ts. */
export default defineConfig({
  test: {
    root: path.join(import.meta.dirname, '..', '..'),
    include: ['test/cluster/**/*.cluster.test.ts'],
    testTimeout: 360_000,
    hookTimeout: 360_000,
    pool: 'forks',
    maxWorkers: 2,
    // Tests that say so run side by side, each with a control plane of its own.
    maxConcurrency: 2,
  },
});
