import path from 'node:path';
import { defineConfig } from 'vitest/config';

/** Tests against a deployed stack, each file with an emulated AWS account of its own. Started by run.ts. */
export default defineConfig({
  test: {
    root: path.join(import.meta.dirname, '..', '..'),
    include: [process.env.SLUICE_DEPLOY_SPEED === '1' ? 'test/deploy/speed.ts' : 'test/deploy/**/*.deploy.test.ts'],
    testTimeout: 240_000,
    hookTimeout: 240_000,
    pool: 'forks',
    maxWorkers: 2,
  },
});
