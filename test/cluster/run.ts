// Runs the cluster tier: finds or builds the control plane, runs the tests that need it, and leaves nothing running.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ensureGoPrograms, sources } from './binary.ts';

const say = (line: string) => console.error(line);

const programs = await ensureGoPrograms(say).catch((error: Error) => {
  say(`npm run test:cluster starts a real Kubernetes control plane that it builds itself.\n${error.message}`);
  process.exit(1);
});
// The build alone, so that a caller can do something else meanwhile.
if (process.argv.includes('--build')) process.exit(0);
const runs = mkdtempSync(path.join(tmpdir(), 'sluice-cluster-'));
const config = path.join(import.meta.dirname, 'vitest.config.ts');
const child = spawn('vitest', ['run', '--config', config, ...process.argv.slice(2)], {
  stdio: 'inherit',
  env: { ...process.env, ...programs, SLUICE_CLUSTER_RUNS: runs },
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
child.on('error', (error) => {
  say(`cannot start vitest: ${error.message}; run this by \`npm run test:cluster\``);
  process.exitCode = 1;
});
child.on('close', (code) => {
  stopLeftOvers(runs);
  process.exitCode = code ?? 1;
});

/** A test process that was killed could not stop its control plane. */
function stopLeftOvers(folder: string): void {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const running = new Set(
    files.filter((file) => file.endsWith('.pid')).map((file) => path.dirname(path.join(folder, file))),
  );
  for (const run of running) spawnSync(path.join(sources, 'down.sh'), { env: { ...process.env, RUN_DIR: run } });
  rmSync(folder, { recursive: true, force: true });
}
