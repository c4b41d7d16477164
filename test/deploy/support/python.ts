// Finds Python and installs the pinned emulator of AWS into a virtual environment of this project, once per lock file.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

export type FoundEmulator =
  | { readonly kind: 'Found'; readonly program: string }
  | { readonly kind: 'Missing'; readonly install: string };

const requirements = path.join(import.meta.dirname, '..', 'requirements.txt');
const cache = path.join(import.meta.dirname, '..', '..', '..', '.cache');
const oldestPython = [3, 10] as const;
const hint =
  'install Python 3.10 or later with its venv module (Debian and Ubuntu: apt-get install python3 python3-venv)';

/** Installs with hashes only, so that what runs is what was pinned. */
export function ensureEmulator(say: (line: string) => void): FoundEmulator {
  const lock = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 16);
  const folder = path.join(cache, `emulator-${lock}`);
  const program = path.join(folder, 'bin', 'ministack');
  const done = path.join(folder, 'installed');
  if (existsSync(done)) return { kind: 'Found', program };
  const python = findPython();
  if (python.kind === 'Missing') return python;
  say('installing the emulator of AWS (once, some seconds)');
  mkdirSync(cache, { recursive: true });
  rmSync(folder, { recursive: true, force: true });
  const venv = spawnSync(python.program, ['-m', 'venv', folder], { encoding: 'utf8' });
  if (venv.status !== 0) return { kind: 'Missing', install: `${venv.stdout}${venv.stderr}${hint}` };
  const pip = spawnSync(
    path.join(folder, 'bin', 'pip'),
    ['install', '--quiet', '--disable-pip-version-check', '--require-hashes', '--no-deps', '-r', requirements],
    { encoding: 'utf8' },
  );
  if (pip.status !== 0)
    return { kind: 'Missing', install: `pip cannot install it: ${pip.stderr}is the package index reachable?` };
  writeFileSync(done, '');
  return { kind: 'Found', program };
}

function findPython(): FoundEmulator {
  const asked = spawnSync('python3', ['-c', 'import sys, venv, ensurepip; print(*sys.version_info[:2])'], {
    encoding: 'utf8',
  });
  if (asked.error || asked.status !== 0) {
    const why = asked.error ? 'python3 is not found' : 'python3 cannot make virtual environments';
    return { kind: 'Missing', install: `${why}: ${hint}` };
  }
  const [major = 0, minor = 0] = asked.stdout.trim().split(' ').map(Number);
  const isOld = major < oldestPython[0] || (major === oldestPython[0] && minor < oldestPython[1]);
  return isOld
    ? { kind: 'Missing', install: `python3 is ${major}.${minor}: ${hint}` }
    : { kind: 'Found', program: 'python3' };
}
