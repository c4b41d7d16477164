import { defineConfig } from 'vitest/config';

/** Tiers are chosen by file suffix: `.test.ts` needs nothing but Node, `.emulator.test.ts` starts local emulators,
 * `.browser.test.ts` needs Chromium. `test/cluster` needs Go, `test/deploy` Python and `test/release` Go, apt and root; they have runners of their own. */
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/cluster/**', 'test/deploy/**', 'test/release/**', 'node_modules/**'],
    setupFiles: ['test/support/seed.ts'],
    // Against hangs only: a busy machine takes several times as long.
    testTimeout: 240_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
    pool: 'forks',
    maxWorkers: 2,
  },
});
