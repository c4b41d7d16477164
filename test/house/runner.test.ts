// The runner of the tests counts what happened: a test that did not or could not run never counts as passed.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { filesOf, getTier, tierOf, tierOrder } from '../../scripts/tiers.ts';
import { countsOf } from '../../scripts/vitestReport.ts';
import { sourcesUnder } from './sources.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'sluice-report-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function count(report: object, exitCode: number | null) {
  const file = path.join(folder, 'report.json');
  const empty = { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0, testResults: [] };
  writeFileSync(file, JSON.stringify({ ...empty, ...report }));
  const { passed, failed } = countsOf(file, exitCode);
  return [passed, failed];
}

const broken = { name: 'a.test.ts', status: 'failed', message: 'SyntaxError', assertionResults: [] };

describe('a run of tests', () => {
  it.each([
    ['counts what passed and what failed', { numPassedTests: 3, numFailedTests: 2 }, 1, [3, 2]],
    ['fails for a file that cannot be loaded', { numPassedTests: 3, testResults: [broken] }, 1, [3, 1]],
    ['fails for a skipped test', { numPassedTests: 3, numPendingTests: 1 }, 0, [3, 1]],
    ['fails for a test that is still to be written', { numPassedTests: 3, numTodoTests: 2 }, 0, [3, 2]],
    ['fails for an error outside the tests', { numPassedTests: 3 }, 1, [3, 1]],
    ['fails when it was killed', { numPassedTests: 3 }, null, [3, 1]],
    ['fails when nothing ran', {}, 0, [0, 1]],
  ] as const)('a run of tests ends with the status that its report has: %s', (_, report, exitCode, expected) => {
    expect(count(report, exitCode)).toEqual(expected);
  });

  it('a run of tests fails without a report', () => {
    expect(countsOf(path.join(folder, 'none.json'), 0)).toMatchObject({ passed: 0, failed: 1 });
  });
});

describe('tiers', () => {
  const withRunners = /^test\/(cluster|deploy|release)\//;
  const tests = sourcesUnder('test').filter((file) => file.endsWith('.test.ts') && !withRunners.test(file));

  it('tiers contain every test file exactly once', () => {
    const ofTiers = tierOrder.flatMap((name) => filesOf(getTier(name)));
    expect([...ofTiers].sort()).toEqual(tests);
  });

  it.each([
    ['test/view/page.browser.test.ts', 'browser'],
    ['test/contracts/queues.emulator.test.ts', 'emulator'],
    ['test/contracts/queues.inMemory.test.ts', 'contract'],
    ['test/infra/stack.test.ts', 'template'],
    ['test/decide/pace.property.test.ts', 'unit'],
  ])('the test file %s belongs to tier %s', (file, name) => {
    expect(tierOf(file)?.name).toBe(name);
  });
});
