// Runs the release tier: builds every artefact twice and tests it; needs Linux on x64, root, and the tools that it names.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ensureGoTool } from '../../scripts/release/goTool.ts';
import { countsOf, formatCounts } from '../../scripts/vitestReport.ts';

const say = (line: string) => console.error(line);
const emulator = process.env.SLUICE_QEMU_AARCH64 ?? '/usr/bin/qemu-aarch64-static';
const signer = process.env.SLUICE_RCODESIGN ?? 'rcodesign';

/** Command that has to answer, and what to install where it does not. */
const tools = [
  [['apt-get', '--version'], 'apt: a release is built on Debian or Ubuntu'],
  [['dpkg-deb', '--version'], 'dpkg'],
  [['go', 'version'], 'Go 1.26 or later'],
  [['unshare', '--version'], 'util-linux'],
  [[emulator, '--version'], 'apt-get install qemu-user-static, or name the program in SLUICE_QEMU_AARCH64'],
  [
    [signer, '--version'],
    'cargo install apple-codesign --version 0.29.0 --locked, or name the program in SLUICE_RCODESIGN',
  ],
] as const;
const missing = tools.filter(([[program, ...args]]) => spawnSync(program, args).status !== 0);
const isRoot = process.getuid?.() === 0;
if (missing.length > 0 || !isRoot) {
  for (const [[program], install] of missing) say(`${program} was not found: ${install}`);
  if (!isRoot) say('images are tried by chroot: run this as root');
  console.log(formatCounts({ passed: 0, failed: 1 }));
  process.exit(1);
}

const runs = mkdtempSync(path.join(tmpdir(), 'sluice-release-'));
const report = path.join(runs, 'report.json');
const config = path.join(import.meta.dirname, 'vitest.config.ts');
const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
const env = {
  ...process.env,
  SLUICE_RELEASE_RUNS: runs,
  SLUICE_QEMU_AARCH64: emulator,
  SLUICE_CRANE: ensureGoTool('crane', say),
  SLUICE_COSIGN: ensureGoTool('cosign', say),
  SLUICE_HELM: ensureGoTool('helm', say),
};
const child = spawn('vitest', ['run', '--config', config, ...reporters, ...process.argv.slice(2)], {
  stdio: 'inherit',
  env,
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
child.on('error', (error) => {
  say(`cannot start vitest: ${error.message}; run this by \`npm run test:release\``);
  process.exitCode = 1;
});
child.on('close', (code) => {
  const { why, ...counts } = countsOf(report, code);
  for (const line of why) say(line);
  console.log(formatCounts(counts));
  rmSync(runs, { recursive: true, force: true });
  process.exitCode = counts.failed === 0 ? 0 : 1;
});
