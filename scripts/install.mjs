// Installs a folder's packages from its lock file, atomically: the previous node_modules remains until the new one is complete.
// Plain JavaScript for Node 18 or later, because it runs before anything is installed.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  accessSync,
  constants,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** Hash of the lock file and number of files, then size and path of each installed file; written after a complete installation. */
const stampOf = (folder) => path.join(folder, 'node_modules', '.sluice-lock');

/** Missing packages of the lock file for this platform: npm silently skips optional packages that it cannot download. */
export function missingPackages(folder) {
  const { packages } = JSON.parse(readFileSync(path.join(folder, 'package-lock.json'), 'utf8'));
  return Object.entries(packages)
    .filter(([name, entry]) => name !== '' && isForThisMachine(entry))
    .map(([name]) => name)
    .filter((name) => !existsSync(path.join(folder, name, 'package.json')));
}

function isForThisMachine({ os: systems, cpu, libc, peer, optional }) {
  if (peer && optional) return false;
  return fits(systems, process.platform) && fits(cpu, process.arch) && (libc === undefined || fits(libc, ownLibc()));
}

function fits(allowed, value) {
  const list = allowed === undefined ? [] : [allowed].flat();
  if (list.includes(`!${value}`)) return false;
  const named = list.filter((one) => !one.startsWith('!'));
  return named.length === 0 || named.includes(value);
}

let libc;
function ownLibc() {
  if (process.platform !== 'linux') return 'none';
  process.report.excludeNetwork = true;
  libc ??= process.report.getReport().header.glibcVersionRuntime ? 'glibc' : 'musl';
  return libc;
}

/** First reason why `node_modules` is not the complete installation of the lock file; absent if it is. */
export function installProblem(folder) {
  if (!existsSync(path.join(folder, 'node_modules'))) return 'nothing is installed';
  const stamp = stampOf(folder);
  if (!existsSync(stamp)) return 'nothing says that it is complete, as after npm ci by hand';
  const [head = '', ...files] = readFileSync(stamp, 'utf8').split('\n');
  const hash = hashOf(folder);
  if (/^[0-9a-f]{64} /.test(head) && !head.startsWith(hash)) return 'package-lock.json has changed since';
  if (head !== headOf(hash, files)) return 'it is not a complete installation of package-lock.json';
  const [missing] = missingPackages(folder);
  return missing === undefined ? firstDamage(folder, files) : `${missing} is missing`;
}

/** Sizes, not contents: a start may not take seconds. They show files that were emptied, cut off or removed. */
function firstDamage(folder, files) {
  const whereMissing = { throwIfNoEntry: false };
  for (const file of files) {
    const space = file.indexOf(' ');
    const name = file.slice(space + 1);
    const found = lstatSync(`${folder}/${name}`, whereMissing);
    if (!found) return `${name} is missing`;
    if (found.size !== Number(file.slice(0, space))) return `${name} has another size`;
  }
  return undefined;
}

/** `<size> <path>` of every file and link below `name`. Folders have sizes that file systems choose. */
function filesBelow(folder, name) {
  return readdirSync(path.join(folder, name), { withFileTypes: true }).flatMap((entry) => {
    const inner = `${name}/${entry.name}`;
    return entry.isDirectory() ? filesBelow(folder, inner) : `${lstatSync(path.join(folder, inner)).size} ${inner}`;
  });
}

function hashOf(folder) {
  const lock = readFileSync(path.join(folder, 'package-lock.json'));
  return createHash('sha256').update(lock).digest('hex');
}

function headOf(hash, files) {
  return `${hash} ${files.length}`;
}

/** Throws on failure and leaves `node_modules` unchanged. `cache`: a writable folder of this checkout. */
export function install(folder, cache) {
  const making = path.join(cache, `install-${process.pid}`);
  removeAbandoned(cache);
  mkdirSync(making, { recursive: true });
  try {
    for (const file of ['package.json', 'package-lock.json', '.npmrc'])
      if (existsSync(path.join(folder, file))) cpSync(path.join(folder, file), path.join(making, file));
    npmCi(making);
    const missing = missingPackages(making);
    if (missing.length > 0) throw new Error(`npm could not install ${missing.slice(0, 5).join(', ')}`);
    const files = filesBelow(making, 'node_modules');
    writeFileSync(stampOf(making), [headOf(hashOf(making), files), ...files].join('\n'));
    replace(path.join(folder, 'node_modules'), making);
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
}

/** Folders of installations that were killed. Their npm may outlive them and still write: such a folder is left to a later installation. */
function removeAbandoned(cache) {
  for (const name of existsSync(cache) ? readdirSync(cache) : []) {
    const [, pid] = /^install-(\d+)$/.exec(name) ?? [];
    if (pid === undefined || (Number(pid) !== process.pid && isRunning(Number(pid)))) continue;
    try {
      rmSync(path.join(cache, name), { recursive: true, force: true });
    } catch (error) {
      if (error.code !== 'ENOTEMPTY' || Number(pid) === process.pid) throw error;
    }
  }
}

function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function npmCi(folder) {
  // Explicit --include, because NODE_ENV=production or a user's .npmrc may omit these dependencies.
  const always = ['--include=dev', '--include=optional', '--ignore-scripts', '--no-audit', '--no-fund'];
  const npm = spawnSync('npm', ['ci', ...always, '--prefer-offline', '--loglevel=error'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
  if (npm.error) throw new Error(`npm cannot be started: ${npm.error.message}`);
  if (npm.status !== 0) throw new Error(`npm ci ended with ${npm.status ?? npm.signal}`);
}

/** Race: a concurrent run may have installed the same packages first; its result is used. */
function replace(target, making) {
  if (existsSync(target)) renameSync(target, path.join(making, 'before'));
  try {
    renameSync(path.join(making, 'node_modules'), target);
  } catch (error) {
    if (!existsSync(target)) throw error;
  }
}

/** Folder of npm's cache: in the home directory if writable, else in this checkout. */
export function npmCache(env, cache) {
  const usual = env.npm_config_cache ?? path.join(env.HOME ?? os.homedir(), '.npm');
  try {
    // Not recursive: Node's recursive mkdir never returns below /proc (24.21).
    if (!existsSync(usual)) mkdirSync(usual);
    accessSync(usual, constants.W_OK);
    return usual;
  } catch {
    return path.join(cache, 'npm');
  }
}
