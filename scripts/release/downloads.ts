// Downloads of a release, fetched with the registries' clients and verified against pinned hashes.
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { readTar } from './archive.ts';
import { run } from './goTool.ts';
import { type Architecture, type DebianPackage, debianSuite, type NodePackage } from './pins.ts';

const cache = path.join(process.env.XDG_CACHE_HOME || path.join(homedir(), '.cache'), 'sluice', 'release');

const hashOf = (algorithm: string, encoding: 'hex' | 'base64', bytes: Buffer) =>
  createHash(algorithm).update(bytes).digest(encoding);

/** Bytes from the cache, else from `download`, which writes one file into an empty folder. */
function fetched(key: string, isRight: (bytes: Buffer) => boolean, download: (folder: string) => void): Buffer {
  const kept = path.join(cache, key);
  if (existsSync(kept)) {
    const bytes = readFileSync(kept);
    if (isRight(bytes)) return bytes;
    rmSync(kept);
  }
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-download-'));
  try {
    download(folder);
    const [name] = globSync('*.{deb,tgz}', { cwd: folder });
    if (!name) throw new Error(`the download of ${key} brought no file`);
    const bytes = readFileSync(path.join(folder, name));
    if (!isRight(bytes))
      throw new Error(`${name} has another hash than scripts/release/pins.ts says: nothing was built from it`);
    mkdirSync(cache, { recursive: true });
    renameSync(writeBeside(kept, bytes), kept);
    return bytes;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function writeBeside(target: string, bytes: Buffer): string {
  const unfinished = `${target}.${process.pid}`;
  writeFileSync(unfinished, bytes);
  return unfinished;
}

/** Tarball of a package from npm's configured registry. */
function fetchNpm({ name, version, integrity }: NodePackage): Buffer {
  const isRight = (bytes: Buffer) => `sha512-${hashOf('sha512', 'base64', bytes)}` === integrity;
  return fetched(`${name}-${version}.tgz`, isRight, (folder) => {
    run('npm', ['pack', `${name}@${version}`, '--silent', '--pack-destination', folder], { cwd: folder });
  });
}

/** A file of a package, such as `bin/node`. */
export async function readNpmFile(pin: NodePackage, name: string): Promise<Buffer> {
  const entries = await readTar(gunzipSync(fetchNpm(pin)));
  const found = entries.find((entry) => entry.name === `package/${name}`);
  if (found?.kind !== 'File') throw new Error(`${pin.name}@${pin.version} holds no ${name}`);
  return found.content;
}

/**
 * Fetches a Debian package with apt, which verifies the archive's signature. Uses a separate apt state, so that another
 * architecture or mirror needs no change of this machine.
 */
export function fetchDebian(pin: DebianPackage, arch: Architecture, mirror: string | undefined): Buffer {
  const isRight = (bytes: Buffer) => hashOf('sha256', 'hex', bytes) === pin.sha256[arch];
  return fetched(`${pin.name}_${arch}_${pin.sha256[arch].slice(0, 16)}.deb`, isRight, (folder) => {
    const apt = (...args: string[]) => run('apt-get', [...aptOptions(arch, mirror), ...args], { cwd: folder });
    try {
      apt('update');
      apt('download', `${pin.name}=${pin.version}`);
    } catch (error) {
      const hint =
        'set --debian-mirror URL to a mirror that has it, or pin the version of today in scripts/release/pins.ts';
      throw new Error(`${pin.name} ${pin.version} for ${arch} cannot be fetched: ${hint}\n${(error as Error).message}`);
    }
  });
}

const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';

function aptOptions(arch: Architecture, mirror: string | undefined): readonly string[] {
  const state = path.join(cache, 'apt', `${arch}-${hashOf('sha256', 'hex', Buffer.from(mirror ?? '')).slice(0, 8)}`);
  for (const folder of ['lists/partial', 'cache/archives/partial'])
    mkdirSync(path.join(state, folder), { recursive: true });
  writeFileSync(path.join(state, 'status'), '');
  const sources = path.join(state, 'sources.list');
  if (mirror) writeFileSync(sources, `deb [signed-by=${keyring}] ${mirror} ${debianSuite} main\n`);
  const settings = {
    'APT::Architecture': arch,
    'APT::Architectures::': arch,
    'APT::Sandbox::User': 'root',
    'Acquire::Languages': 'none',
    'Dir::State::lists': path.join(state, 'lists'),
    'Dir::State::status': path.join(state, 'status'),
    'Dir::Cache': path.join(state, 'cache'),
    ...(mirror ? { 'Dir::Etc::sourcelist': sources, 'Dir::Etc::sourceparts': '-' } : {}),
  };
  return ['-q', ...Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`])];
}
