// Builds Helm, pinned by test/helm/go.mod, once; it renders and lints the chart in deploy/.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import type { Toolchain } from './binary.ts';

const folder = path.join(import.meta.dirname, '..', 'helm');

/** The path of the binary. Throws where the build fails; two minutes on two cores with empty Go caches. */
export function ensureHelm(go: Toolchain, say: (line: string) => void): string {
  const sources = ['go.mod', 'go.sum'].map((file) => readFileSync(path.join(folder, file), 'utf8'));
  const hash = createHash('sha256')
    .update([go.version, go.os, go.arch, ...sources].join('\0'))
    .digest('hex');
  const cache = process.env.XDG_CACHE_HOME || path.join(homedir(), '.cache');
  const target = path.join(cache, 'sluice', 'helm', hash.slice(0, 32), 'helm');
  if (existsSync(target)) return target;
  say('building Helm (once, about two minutes)');
  mkdirSync(path.dirname(target), { recursive: true });
  const unfinished = `${target}.${process.pid}`;
  const args = ['build', '-trimpath', '-ldflags', '-s -w', '-o', unfinished, 'helm.sh/helm/v4/cmd/helm'];
  const built = spawnSync('go', args, { cwd: folder, encoding: 'utf8', env: { ...process.env, CGO_ENABLED: '0' } });
  if (built.status !== 0) throw new Error(`the build of Helm failed:\n${built.stderr}`);
  renameSync(unfinished, target);
  return target;
}
