// `npm test`: format and lint, types, then tests by tier; the last line is `N passed, N failed`.
// Arguments select from `format`, `types` and the tiers; default: all that need only Node and npm.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { filesOf, getTier, root, type Tier, tierOrder } from './tiers.ts';
import { type Counts, countsOf, formatCounts } from './vitestReport.ts';

interface Checked extends Counts {
  /** Shown after a failure. */
  readonly output: string;
}

const reports = mkdtempSync(path.join(tmpdir(), 'sluice-test-'));
let running: ChildProcess | undefined;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    running?.kill(signal);
    rmSync(reports, { recursive: true, force: true });
    process.exit(1);
  });
}

function run(command: string, args: readonly string[]): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve) => {
    const env = process.stdout.isTTY ? { ...process.env, FORCE_COLOR: '1' } : plainOutput();
    const child = spawn(command, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
    running = child;
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    child.on('error', (error) => resolve({ code: 1, output: `cannot start ${command}: ${error.message}` }));
    child.on('close', (code) => resolve({ code, output }));
  });
}

function plainOutput(): NodeJS.ProcessEnv {
  const { FORCE_COLOR: _, ...env } = process.env;
  return { ...env, NO_COLOR: '1' };
}

async function runTool(command: string, ...args: readonly string[]): Promise<Checked> {
  const { code, output } = await run(command, args);
  return code === 0 ? { passed: 1, failed: 0, output } : { passed: 0, failed: 1, output };
}

async function runTier(tier: Tier): Promise<Checked> {
  const files = filesOf(tier);
  if (files.length === 0) return { passed: 0, failed: 1, output: `the ${tier.name} tier has no test file` };
  const report = path.join(reports, `${tier.name}.json`);
  const { code, output } = await run('vitest', [
    'run',
    '--reporter=dot',
    '--reporter=json',
    `--outputFile.json=${report}`,
    ...(tier.options ?? []),
    ...files,
  ]);
  const { why, ...counts } = countsOf(report, code);
  return { ...counts, output: [output, ...why].join('\n') };
}

const tools: Readonly<Record<string, { shows: string; run: () => Promise<Checked> }>> = {
  format: { shows: 'format and lint', run: () => runTool('biome', 'check', '--error-on-warnings', '.') },
  types: { shows: 'types', run: () => runTool('tsc', '--noEmit') },
};

async function check(name: string): Promise<Counts> {
  const tool = tools[name];
  const shows = tool?.shows ?? getTier(name).shows;
  const title = `${name.padEnd(9)} ${shows.padEnd(50)}`;
  if (process.stdout.isTTY) process.stdout.write(`${title} ...\r`);
  const start = performance.now();
  const result = await (tool ? tool.run() : runTier(getTier(name)));
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`${title} ${formatCounts(result)}  ${seconds} s`);
  if (result.failed > 0) console.log(`\n${result.output.trim()}\n`);
  return result;
}

const chosen = process.argv.slice(2);
const ownCommand = tierOrder.filter((name) => getTier(name).needs !== undefined);
const names =
  chosen.length > 0 ? chosen : [...Object.keys(tools), ...tierOrder.filter((name) => !ownCommand.includes(name))];
for (const name of names) if (!tools[name]) getTier(name);

let total: Counts = { passed: 0, failed: 0 };
for (const name of names) {
  const counts = await check(name);
  total = { passed: total.passed + counts.passed, failed: total.failed + counts.failed };
}
rmSync(reports, { recursive: true, force: true });
if (chosen.length === 0) {
  for (const name of ownCommand)
    console.log(`not run here: ${name} (needs ${getTier(name).needs}): npm run test:${name}`);
  console.log('not run here: cluster (needs Go 1.26): npm run test:cluster');
  console.log('not run here: deploy (needs Python 3.10): npm run test:deploy');
  console.log('not run here: install (needs Python 3.10 and Go 1.26): npm run test:install');
  console.log('not run here: release (needs Go 1.26, apt and root): npm run test:release');
}
console.log(formatCounts(total));
process.exitCode = total.failed === 0 ? 0 : 1;
