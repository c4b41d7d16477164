import path from 'node:path';
import { defineConfig } from 'vitest/config';

/** The whole of a release, tried from its artefacts. Started by run.ts. */
export default defineConfig({
  test: {
    root: path.join(import.meta.dirname, '..', '..'),
    include: ['test/release/**/*.release.test.ts'],
    testTimeout: 600_000,
    hookTimeout: 3_600_000,
    pool: 'forks',
    maxWorkers: 1,
  },
});
