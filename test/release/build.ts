// Two builds of the same checkout, made once for all files of this tier.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { root } from '../house/sources.ts';

export const password = 'of a test';

const needed = (name: string): string => {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: run this by \`npm run test:release\``);
  return value;
};

export const tools = {
  crane: () => needed('SLUICE_CRANE'),
  cosign: () => needed('SLUICE_COSIGN'),
  helm: () => needed('SLUICE_HELM'),
  emulator: () => needed('SLUICE_QEMU_AARCH64'),
};

export const folder = (...names: readonly string[]) => path.join(needed('SLUICE_RELEASE_RUNS'), ...names);

/** Runs a program to its end, and fails the test with its output. */
export function must(program: string, args: readonly string[], options: { env?: object } = {}): string {
  const env = { ...process.env, ...options.env };
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8', env, maxBuffer: 1 << 28 });
  if (status !== 0) throw new Error(`${path.basename(program)} ${args.join(' ')}: ${error?.message ?? stderr}`);
  return stdout;
}

export const key = () => folder('key', 'cosign.key');

/** Builds by the command that users call, signed with a key that is made for this run. */
export function build(name: string, ...args: readonly string[]): string {
  if (!existsSync(key())) {
    mkdirSync(path.dirname(key()), { recursive: true });
    const prefix = key().replace(/\.key$/, '');
    must(tools.cosign(), ['generate-key-pair', '--output-key-prefix', prefix], { env: { COSIGN_PASSWORD: password } });
  }
  const out = folder(name);
  if (existsSync(out)) return out;
  const words = ['run', '--silent', 'release', '--', '--out', out, '--key', key(), ...args];
  execFileSync('npm', words, { cwd: root, stdio: 'inherit', env: { ...process.env, COSIGN_PASSWORD: password } });
  return out;
}
