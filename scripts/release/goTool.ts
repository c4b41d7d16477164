// Builds a Go program pinned by go.mod and go.sum in tools/; cached by the hash of all inputs.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';

const packages = {
  helm: 'helm.sh/helm/v4/cmd/helm',
  crane: 'github.com/google/go-containerregistry/cmd/crane',
  cosign: 'github.com/sigstore/cosign/v3/cmd/cosign',
} as const;

export type GoTool = keyof typeof packages;

/** Returns the program's path. Throws if Go is missing or the build fails. Takes minutes on two cores with empty Go caches. */
export function ensureGoTool(name: GoTool, say: (line: string) => void): string {
  const folder = path.join(import.meta.dirname, 'tools', name);
  const target = path.join(cacheFolder(), name, sourceHash(folder, name), name);
  if (existsSync(target)) return target;
  say(`building ${name} (once, minutes)`);
  mkdirSync(path.dirname(target), { recursive: true });
  const unfinished = `${target}.${process.pid}`;
  const args = ['build', '-trimpath', '-ldflags', '-s -w', '-o', unfinished, packages[name]];
  const built = spawnSync('go', args, { cwd: folder, encoding: 'utf8', env: { ...process.env, CGO_ENABLED: '0' } });
  if (built.status !== 0) throw new Error(`go build of ${name} failed in ${folder}:\n${built.stderr}`);
  renameSync(unfinished, target);
  return target;
}

function cacheFolder(): string {
  return path.join(process.env.XDG_CACHE_HOME || path.join(homedir(), '.cache'), 'sluice');
}

function sourceHash(folder: string, name: GoTool): string {
  const asked = spawnSync('go', ['env', 'GOVERSION', 'GOOS', 'GOARCH'], { cwd: folder, encoding: 'utf8' });
  if (asked.status !== 0)
    throw new Error(`${name} is built by Go 1.26 or later: ${asked.error?.message ?? asked.stderr.trim()}`);
  const sources = ['go.mod', 'go.sum'].map((file) => readFileSync(path.join(folder, file), 'utf8'));
  return createHash('sha256')
    .update([asked.stdout, packages[name], ...sources].join('\0'))
    .digest('hex')
    .slice(0, 32);
}

/** Runs a program; throws with its output if it fails. */
export function run(program: string, args: readonly string[], options: { cwd?: string; env?: object } = {}): string {
  const env = { ...process.env, ...options.env };
  const done = spawnSync(program, args, { cwd: options.cwd, env, encoding: 'utf8', maxBuffer: 1 << 28 });
  if (done.status !== 0)
    throw new Error(
      `${path.basename(program)} ${args.join(' ')} failed: ${done.error?.message ?? (done.stderr || done.stdout).trim()}`,
    );
  return done.stdout;
}
