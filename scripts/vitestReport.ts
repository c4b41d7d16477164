// Counts the tests in a JSON report of Vitest: `node scripts/vitestReport.ts <report>` prints the counts.
import { existsSync, readFileSync } from 'node:fs';

export interface Counts {
  readonly passed: number;
  readonly failed: number;
}

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message?: string;
    readonly assertionResults: readonly unknown[];
  }[];
}

/**
 * `why`: one line for each failure outside a test's body: a file that cannot be loaded, a skipped test, an error outside tests,
 * an aborted run.
 */
export function countsOf(file: string, exitCode: number | null): Counts & { readonly why: readonly string[] } {
  if (!existsSync(file)) return { passed: 0, failed: 1, why: ['vitest ended without a report'] };
  const report = JSON.parse(readFileSync(file, 'utf8')) as Report;
  const broken = report.testResults.filter((one) => one.status === 'failed' && one.assertionResults.length === 0);
  const why = broken.map((one) => `${one.name} cannot be loaded: ${one.message?.split('\n')[0] ?? 'no reason given'}`);
  const skipped = report.numPendingTests + report.numTodoTests;
  if (skipped > 0) why.push(`${skipped} tests are skipped: a test that does not run shows nothing`);
  let failed = report.numFailedTests + broken.length + skipped;
  if (exitCode !== 0 && failed === 0) {
    why.push(`vitest ended with ${exitCode ?? 'a signal'} although no test failed: an error outside the tests`);
    failed = 1;
  }
  if (report.numPassedTests + failed === 0) return { passed: 0, failed: 1, why: ['no test ran'] };
  return { passed: report.numPassedTests, failed, why };
}

export const formatCounts = ({ passed, failed }: Counts): string => `${passed} passed, ${failed} failed`;

if (import.meta.main) {
  const [file = '', exitCode = '0'] = process.argv.slice(2);
  const counts = countsOf(file, Number(exitCode));
  for (const line of counts.why) console.log(line);
  console.log(formatCounts(counts));
}
