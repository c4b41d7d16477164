import { defineConfig } from 'vitest/config';

/** The tests that hold the pure core to its rules; everything above it would only make each mutant slower. */
export default defineConfig({
  test: {
    include: [
      'test/decide/**/*.test.ts',
      'test/model/**/*.test.ts',
      'test/gates/**/*.test.ts',
      'test/scenarios/scenarios.test.ts',
    ],
    testTimeout: 60_000,
  },
});
