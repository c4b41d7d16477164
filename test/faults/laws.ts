// Runs tests by their titles in a copy of the sources, in a separate process.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Law } from './defects.ts';

export interface Verdicts {
  /** Full titles. */
  readonly failed: readonly string[];
  readonly passed: readonly string[];
  /** Why the run has no verdicts: a file that cannot be loaded, a title that no test has, or a missing report. */
  readonly why?: string;
}

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly message?: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

export async function play(root: string, laws: readonly Law[]): Promise<Verdicts> {
  const report = path.join(root, 'report.json');
  const titles = laws.map(({ title }) => escaped(title)).join('|');
  const files = [...new Set(laws.map(({ file }) => file))];
  const run = ['run', ...files, '--maxWorkers=1', '-t', titles, '--reporter=json', `--outputFile=${report}`];
  const vitest = path.join(root, 'node_modules/vitest/vitest.mjs');
  const child = spawn(process.execPath, [vitest, ...run], { cwd: root, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (data) => {
    said += data;
  });
  await once(child, 'close');
  if (!existsSync(report)) return { failed: [], passed: [], why: `vitest ended without a report: ${said.slice(-500)}` };
  return verdictsOf(JSON.parse(readFileSync(report, 'utf8')) as Report, laws);
}

function verdictsOf({ testResults }: Report, laws: readonly Law[]): Verdicts {
  const played = testResults.flatMap(({ assertionResults }) => assertionResults);
  const of = (status: string) => played.filter((one) => one.status === status).map(({ fullName }) => fullName);
  const [failed, passed] = [of('failed'), of('passed')];
  const broken = testResults.flatMap(({ name, message, assertionResults }) =>
    assertionResults.length === 0 ? [`${name}: ${message}`] : [],
  );
  const unknown = laws
    .filter(({ title }) => ![...failed, ...passed].some((one) => one.startsWith(title.replaceAll(' > ', ' '))))
    .map(({ file, title }) => `no test of ${file} has the title "${title}"`);
  const [why] = [...broken, ...unknown];
  return { failed, passed, ...(why === undefined ? {} : { why }) };
}

function escaped(title: string): string {
  return title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
