// Finds Python and installs a pinned emulator of AWS into a virtual environment of this project, once per lock file.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';

export type Found =
  | { readonly kind: 'Found'; readonly program: string }
  | { readonly kind: 'Missing'; readonly install: string };

export interface Venv {
  /** Of the folder that it is installed to. */
  readonly name: string;
  /** The lock file, with a hash for every package. */
  readonly requirements: string;
  readonly oldestPython: readonly [number, number];
  /** A package of this project's own that is installed with it. */
  readonly plugin?: string;
  /** In the environment's `bin`. */
  readonly program: string;
}

export const cache = path.join(import.meta.dirname, '..', '..', '..', '.cache');

/** Installs with hashes only, so that what runs is what was pinned. */
export function ensureVenv(venv: Venv, say: (line: string) => void): Found {
  const lock = createHash('sha256').update(readFileSync(venv.requirements));
  for (const file of venv.plugin === undefined ? [] : filesIn(venv.plugin)) lock.update(readFileSync(file));
  const folder = path.join(cache, `${venv.name}-${lock.digest('hex').slice(0, 16)}`);
  const program = path.join(folder, 'bin', venv.program);
  const done = path.join(folder, 'installed');
  if (existsSync(done)) return { kind: 'Found', program };
  const python = findPython(venv.oldestPython);
  if (python.kind === 'Missing') return python;
  say(`installing ${venv.name} by pip (once)`);
  mkdirSync(cache, { recursive: true });
  rmSync(folder, { recursive: true, force: true });
  const made = spawnSync(python.program, ['-m', 'venv', folder], { encoding: 'utf8' });
  if (made.status !== 0)
    return { kind: 'Missing', install: `${made.stdout}${made.stderr}${hintOf(venv.oldestPython)}` };
  const pip = (...args: readonly string[]) =>
    spawnSync(
      path.join(folder, 'bin', 'pip'),
      ['install', '--quiet', '--disable-pip-version-check', '--no-deps', ...args],
      { encoding: 'utf8' },
    );
  const packages = pip('--require-hashes', '-r', venv.requirements);
  if (packages.status !== 0)
    return { kind: 'Missing', install: `pip cannot install it: ${packages.stderr}is the package index reachable?` };
  const plugin =
    venv.plugin === undefined ? packages : pip('--no-build-isolation', '--no-index', copied(venv.plugin, folder));
  if (plugin.status !== 0) return { kind: 'Missing', install: `pip cannot install ${venv.plugin}: ${plugin.stderr}` };
  writeFileSync(done, '');
  return { kind: 'Found', program };
}

/** Building leaves files beside the sources. */
function copied(plugin: string, folder: string): string {
  const copy = path.join(folder, 'plugin');
  cpSync(plugin, copy, { recursive: true });
  return copy;
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(py|toml)$/.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
}

function findPython(oldest: readonly [number, number]): Found {
  const asked = pythons(oldest).map((program) => ({ program, ...ask(program) }));
  const fit = asked.find(({ version: [major, minor] }) => major === oldest[0] && minor >= oldest[1]);
  if (fit) return { kind: 'Found', program: fit.program };
  const seen = asked.map(({ program, said }) => `${program}: ${said}`).join('; ');
  return { kind: 'Missing', install: `${seen}: ${hintOf(oldest)}` };
}

/** By name, and where pyenv and uv keep theirs. */
function pythons([major, minor]: readonly [number, number]): readonly string[] {
  const name = `${major}.${minor}`;
  const kept = [
    path.join(process.env.PYENV_ROOT ?? path.join(homedir(), '.pyenv'), 'versions'),
    process.env.UV_PYTHON_INSTALL_DIR ?? path.join(homedir(), '.local', 'share', 'uv', 'python'),
  ].flatMap((folder) =>
    (existsSync(folder) ? readdirSync(folder) : [])
      .filter((one) => one.includes(name))
      .map((one) => path.join(folder, one, 'bin', 'python3')),
  );
  return ['python3', `python${name}`, ...kept];
}

/** Version 0.0 where it cannot make virtual environments. */
function ask(program: string): { readonly version: readonly [number, number]; readonly said: string } {
  const asked = spawnSync(program, ['-c', 'import sys, venv, ensurepip; print(*sys.version_info[:2])'], {
    encoding: 'utf8',
  });
  if (asked.error) return { version: [0, 0], said: 'is not found' };
  if (asked.status !== 0) return { version: [0, 0], said: 'cannot make virtual environments' };
  const [major = 0, minor = 0] = asked.stdout.trim().split(' ').map(Number);
  return { version: [major, minor], said: `is ${major}.${minor}` };
}

function hintOf([major, minor]: readonly [number, number]): string {
  return `install Python ${major}.${minor} or later with its venv module (Debian and Ubuntu: apt-get install python3 python3-venv; any: pyenv install ${major}.${minor})`;
}
