// Benchmarks cold starts: bundle size of every function, and its load time compared with an empty handler.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { bundleLimits, functionOptions } from '../infra/bundling.ts';
import { environmentNames } from '../lib/contract.ts';

/** Milliseconds; printed only, never fails the run, because times are noisy on a shared machine. */
const loadGoal = 100;
const rounds = 15;
const functions = fileURLToPath(new URL('../functions/', import.meta.url));

/** Environment that a function needs to load; no service is called. */
const environment = {
  ...Object.fromEntries(Object.values(environmentNames).map((name) => [name, 'https://127.0.0.1/bench'])),
  [environmentNames.ingestQueues]: '{"bench":"bench"}',
  [environmentNames.clusters]: JSON.stringify({
    bench: { endpoint: 'https://127.0.0.1', auth: { kind: 'eks', clusterName: 'bench' }, native: 'own' },
  }),
  [environmentNames.settings]: '{}',
  [environmentNames.logLevel]: 'INFO',
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'bench',
  AWS_SECRET_ACCESS_KEY: 'bench',
};

/** Program of a new process, which prints the time to import the module. */
const probe = `const from = performance.now();
const { handler } = await import(process.argv[1]);
if (typeof handler !== 'function') throw new Error('no handler');
console.log(performance.now() - from);`;

function loadOnce(file: string): number {
  const env = { PATH: process.env.PATH ?? '', ...environment };
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', probe, file], { env, encoding: 'utf8' });
  return Number(output.trim().split('\n').at(-1));
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

interface Candidate {
  readonly name: string;
  readonly file: string;
  readonly times: number[];
}

const folder = mkdtempSync(path.join(tmpdir(), 'sluice-coldstart-'));
try {
  process.exitCode = run();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function run(): number {
  const empty = path.join(folder, 'empty.mjs');
  writeFileSync(empty, 'export const handler = async () => {};\n');
  const names = readdirSync(functions).filter((name) => name.endsWith('.ts'));
  const candidates: readonly Candidate[] = [
    { name: '(empty)', file: empty, times: [] },
    ...names.map((name) => ({ name: name.replace('.ts', ''), file: bundle(name), times: [] })),
  ];
  // In turns, so that other load on the machine affects all candidates.
  for (let round = 0; round < rounds; round++) for (const one of candidates) one.times.push(loadOnce(one.file));
  return print(candidates);
}

function bundle(name: string): string {
  const outfile = path.join(folder, name.replace('.ts', '.mjs'));
  buildSync({ ...functionOptions(path.join(functions, name)), outfile });
  return outfile;
}

/** Returns status 1 if a bundle exceeds its limit. */
function print(candidates: readonly Candidate[]): number {
  const [empty] = candidates;
  const base = median(empty?.times ?? []);
  console.log(`${'function'.padEnd(10)} ${'bytes'.padStart(8)} ${'load ms'.padStart(8)} ${'ratio'.padStart(7)}`);
  let status = 0;
  for (const { name, file, times } of candidates) {
    const bytes = statSync(file).size;
    const load = median(times);
    const notes = [bytes >= bundleLimits.goal ? 'TOO LARGE' : '', load >= loadGoal ? `above ${loadGoal} ms` : ''];
    const figures = [String(bytes).padStart(8), load.toFixed(1).padStart(8), (load / base).toFixed(1).padStart(7)];
    console.log([name.padEnd(10), ...figures, ...notes].join(' ').trimEnd());
    if (bytes >= bundleLimits.goal) status = 1;
  }
  console.log(
    `median of ${rounds} fresh processes, Node ${process.version}; goals: ${bundleLimits.goal} bytes, ${loadGoal} ms`,
  );
  return status;
}
