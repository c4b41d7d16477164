import path from 'node:path';
import { defineConfig } from 'vitest/config';
import { targetName, targets } from './support/target.ts';

const target = targetName();
// Against hangs only: on a busy machine an account takes minutes to deploy.
const longest = 600_000 * targets[target].patience;

const installation = 'test/deploy/install.deploy.test.ts';
// What takes grants away needs an account that enforces them: gaps.ts.
const unenforced = target === 'localstack' ? ['test/deploy/**/*rants.deploy.test.ts'] : [];

/** An installation has a control plane besides its account, and a command of its own: `npm run test:install`. */
function chosen(): string {
  if (process.env.SLUICE_DEPLOY_INSTALL === '1') return installation;
  return process.env.SLUICE_DEPLOY_SPEED === '1' ? 'test/deploy/speed.ts' : 'test/deploy/**/*.deploy.test.ts';
}

/** Tests against a deployed stack, each file with an emulated AWS account of its own. Started by run.ts. */
export default defineConfig({
  test: {
    root: path.join(import.meta.dirname, '..', '..'),
    include: [chosen()],
    exclude: chosen() === installation ? [] : [installation, ...unenforced],
    testTimeout: longest,
    hookTimeout: longest,
    pool: 'forks',
    // LocalStack, its Java and its functions take a machine's worth each.
    maxWorkers: target === 'localstack' ? 1 : 3,
  },
});
