// Runs the deploy tier: installs the emulator of AWS once, deploys the stack to it, and leaves nothing running.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { countsOf, formatCounts } from '../../scripts/vitestReport.ts';
import { ensureGoPrograms } from '../cluster/binary.ts';
import { ensureAwsCli, ensureEmulator } from './support/install.ts';
import { targetName } from './support/target.ts';

const say = (line: string) => console.error(line);

const emulator = ensureEmulator(targetName(), say);
if (emulator.kind === 'Missing') {
  say(`the deploy tier needs an emulated AWS account.\n${emulator.install}`);
  console.log(formatCounts({ passed: 0, failed: 1 }));
  process.exit(1);
}
/** With SLUICE_DEPLOY_CLUSTER=real pods are evicted from a real control plane, as an installation always does; both need Go. */
const needsGo = process.env.SLUICE_DEPLOY_CLUSTER === 'real' || process.env.SLUICE_DEPLOY_INSTALL === '1';
const built = needsGo ? await ensureGoPrograms(say).catch(endWith) : {};
if (process.env.SLUICE_DEPLOY_INSTALL === '1') {
  const aws = ensureAwsCli(say);
  if (aws.kind === 'Missing') {
    say(`the commands of pages need the command line of AWS.\n${aws.install}`);
    console.log(formatCounts({ passed: 0, failed: 1 }));
    process.exit(1);
  }
  Object.assign(built, { SLUICE_AWS_CLI: aws.program });
}
const runs = mkdtempSync(path.join(tmpdir(), 'sluice-deploy-'));
const report = path.join(runs, 'report.json');
const config = path.join(import.meta.dirname, 'vitest.config.ts');
const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
const child = spawn('vitest', ['run', '--config', config, ...reporters, ...process.argv.slice(2)], {
  stdio: 'inherit',
  env: { ...process.env, ...built, ...emulator.environment, SLUICE_DEPLOY_RUNS: runs },
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
child.on('error', (error) => {
  say(`cannot start vitest: ${error.message}; run this by \`npm run test:deploy\``);
  process.exitCode = 1;
});
child.on('close', (code) => {
  const { why, ...counts } = countsOf(report, code);
  for (const line of why) say(line);
  console.log(formatCounts(counts));
  stopLeftOvers(runs);
  rmSync(runs, { recursive: true, force: true });
  process.exitCode = counts.failed === 0 ? 0 : 1;
});

/** A test process that was killed could not stop its emulator, whose functions end with it. */
function stopLeftOvers(folder: string): void {
  for (const run of readdirSync(folder).filter((name) => existsSync(path.join(folder, name, 'pid')))) {
    try {
      process.kill(Number(readFileSync(path.join(folder, run, 'pid'), 'utf8')), 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  }
}

function endWith(error: Error): never {
  say(error.message);
  console.log(formatCounts({ passed: 0, failed: 1 }));
  process.exit(1);
}
