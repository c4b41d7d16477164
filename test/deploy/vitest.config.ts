import path from 'node:path';
import { defineConfig } from 'vitest/config';
import { targetName, targets } from './support/target.ts';

const target = targetName();
const longest = 240_000 * targets[target].patience;

/** Tests against a deployed stack, each file with an emulated AWS account of its own. Started by run.ts. */
export default defineConfig({
  test: {
    root: path.join(import.meta.dirname, '..', '..'),
    include: [process.env.SLUICE_DEPLOY_SPEED === '1' ? 'test/deploy/speed.ts' : 'test/deploy/**/*.deploy.test.ts'],
    testTimeout: longest,
    hookTimeout: longest,
    // What takes grants away needs an account that enforces them: gaps.ts.
    exclude: target === 'localstack' ? ['test/deploy/**/*rants.deploy.test.ts'] : [],
    pool: 'forks',
    // LocalStack, its Java and its functions take a machine's worth each.
    maxWorkers: target === 'localstack' ? 1 : 3,
  },
});
