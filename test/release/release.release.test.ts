// Everything that `npm run release -- --dry-run` builds: two builds have the same bytes, and every artefact works.
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { readTar } from '../../scripts/release/archive.ts';
import { digestsOf } from '../../scripts/release/checksums.ts';
import { readVersion } from '../../scripts/release/context.ts';
import { fetchDebian } from '../../scripts/release/downloads.ts';
import { executableTargets } from '../../scripts/release/pins.ts';
import { root } from '../house/sources.ts';
import { build, folder, key, must, password, tools } from './build.ts';
import { readCodeDirectory } from './codeDirectory.ts';
import { type Image, readImage, runIn, unpack } from './unpack.ts';

/** Node 26 for Linux on arm64 links to it; the image's Node 24 does not. */
const libatomic = {
  name: 'libatomic1',
  version: '12.2.0-14+deb12u1',
  sha256: { amd64: '', arm64: '1693aa13ce2b30d061a519fc28b77b9bab8c8e45804ced5969d99821e1bc2159' },
};

let out: string;
beforeAll(() => {
  out = build('one', '--dry-run');
});

describe('a release', () => {
  it('two builds of a release have the same bytes', () => {
    const again = build('two', '--dry-run');
    expect(digestsOf(again)).toEqual(digestsOf(out));
  });

  it('checksums cover a release file by file', () => {
    execFileSync('sha256sum', ['--check', '--strict', '--quiet', 'SHA256SUMS'], { cwd: out });
    const listed = readFileSync(path.join(out, 'SHA256SUMS'), 'utf8').trim().split('\n');
    const files = globSync('**/*', { cwd: out }).filter((name) => statSync(path.join(out, name)).isFile());
    expect(listed).toHaveLength(files.filter((name) => !name.startsWith('SHA256SUMS')).length);
  });

  it('a release is signed by the given key, and by no other', () => {
    const verify = (of: string, blob: string) =>
      spawnSync(
        tools.cosign(),
        [
          'verify-blob',
          '--key',
          of,
          '--insecure-ignore-tlog',
          '--bundle',
          `${path.join(out, 'SHA256SUMS')}.sigstore.json`,
          blob,
        ],
        { encoding: 'utf8' },
      );
    const publicKey = key().replace(/\.key$/, '.pub');
    expect(verify(publicKey, path.join(out, 'SHA256SUMS'))).toMatchObject({ status: 0 });
    expect(verify(publicKey, path.join(out, 'image-digest.txt')).status).not.toBe(0);
    const other = folder('other');
    must(tools.cosign(), ['generate-key-pair', '--output-key-prefix', other], { env: { COSIGN_PASSWORD: password } });
    expect(verify(`${other}.pub`, path.join(out, 'SHA256SUMS')).status).not.toBe(0);
  });

  it('a release has a provenance statement with every artefact as its subject, and the commit it was built from', () => {
    const statement = JSON.parse(readFileSync(path.join(out, 'provenance.intoto.json'), 'utf8'));
    expect(statement).toMatchObject({
      _type: 'https://in-toto.io/Statement/v1',
      predicateType: 'https://slsa.dev/provenance/v1',
    });
    const subjects = statement.subject.map((one: { name: string; digest: { sha256: string } }) => [
      one.name,
      one.digest.sha256,
    ]);
    const built = digestsOf(out).filter(({ name }) => name !== 'provenance.intoto.json');
    expect(subjects).toEqual(built.map(({ name, sha256 }) => [name, sha256]));
    const [source] = statement.predicate.buildDefinition.resolvedDependencies;
    const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim();
    expect(source.digest).toEqual({ gitCommit: commit });
  });
});

describe.each([
  ['amd64', 'x64'],
  ['arm64', 'arm64'],
])('the image for linux/%s, unpacked and run as its root', (architecture, arch) => {
  let image: Image;
  let files: string;
  const start = (...command: readonly string[]) => {
    const emulator = architecture === 'arm64' ? tools.emulator() : undefined;
    return runIn(files, image, command, emulator);
  };
  beforeAll(() => {
    image = readImage(path.join(out, 'image'), architecture);
    files = folder(`root-${architecture}`);
    unpack(image, files);
  });

  it('the image names its architecture, user and working directory', () => {
    expect(image.config).toMatchObject({
      architecture,
      os: 'linux',
      config: { User: '65532:65532', WorkingDir: '/app' },
    });
  });

  it('the image has no shell, no package manager, no setuid program, and no file that its user may write', () => {
    const find = (...words: string[]) => must('find', [files, ...words]).trim();
    const programs = find('-type', 'f', '-perm', '/111', '-not', '-name', '*.so*', '-not', '-name', 'emulator');
    expect(programs).toBe(path.join(files, 'usr/local/bin/node'));
    expect(find('-perm', '/6000')).toBe('');
    expect(find('!', '-type', 'l', '-perm', '/022')).toBe('');
    expect(find('!', '-user', '0')).toBe('');
    expect(find('-xtype', 'l')).toBe('');
  });

  it('the image runs Node as a user who is not root and can write nothing', () => {
    const script = `
      const write = () => { try { fs.writeFileSync('/app/x', ''); return 'written'; } catch (error) { return error.code; } };
      const shell = () => { try { child_process.execSync('true'); return 'ran'; } catch (error) { return error.code; } };
      const authorities = fs.readFileSync('/etc/ssl/certs/ca-certificates.crt', 'utf8').match(/BEGIN CERTIFICATE/g).length;
      console.log(JSON.stringify({ arch: process.arch, uid: process.getuid(), write: write(), shell: shell(), many: authorities > 100 }));`;
    const { stdout, stderr } = start('/usr/local/bin/node', '-e', script);
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual({ arch, uid: 65532, write: 'EROFS', shell: 'ENOENT', many: true });
  });

  it('the image starts the watcher and the executor, which say what their environment lacks', () => {
    const [, ...args] = image.config.config.Entrypoint;
    const watcher = start('/usr/local/bin/node', ...args);
    expect(watcher.stdout + watcher.stderr).toContain('SLUICE_INGEST_QUEUE_URL is not set');
    const executor = start('/usr/local/bin/node', '/app/executor.mjs');
    expect(executor.stdout + executor.stderr).toContain('SLUICE_TABLE is not set');
    expect([watcher.status, executor.status]).toEqual([1, 1]);
  });
});

describe('executables', () => {
  const unpacked = (platform: string, arch: string) => {
    const target = folder(`sluice-${platform}-${arch}`);
    mkdirSync(target, { recursive: true });
    must('tar', ['-xzf', path.join(out, 'executables', `sluice-${platform}-${arch}.tar.gz`), '-C', target]);
    return path.join(target, 'sluice');
  };

  it('the executable for Linux on x64 runs without Node on its path, loads what a verb needs, and offers no demo', () => {
    const program = unpacked('linux', 'x64');
    const run = (...words: string[]) => spawnSync(program, words, { env: {}, cwd: '/', encoding: 'utf8' });
    expect(run('--help')).toMatchObject({ status: 0, stdout: expect.stringMatching(/^Usage: sluice/) });
    expect(run('version', '-o', 'jsonpath={.version}')).toMatchObject({ status: 0, stdout: `${readVersion(root)}\n` });
    expect(run('get', 'rules', '--kubeconfig', '/none')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('kubeconfig /none cannot be used'),
    });
    expect(run('demo')).toMatchObject({ status: 2, stderr: expect.stringContaining("unknown command 'demo'") });
  });

  it('the executable for Linux on arm64 runs under an emulator, with the libraries of the image and libatomic1', () => {
    const image = readImage(path.join(out, 'image'), 'arm64');
    const files = folder('root-executable');
    unpack(image, files);
    const deb = folder('libatomic1.deb');
    writeFileSync(deb, fetchDebian(libatomic, 'arm64', process.env.SLUICE_RELEASE_DEBIAN_MIRROR || undefined));
    must('dpkg-deb', ['--extract', deb, files]);
    copyFileSync(unpacked('linux', 'arm64'), path.join(files, 'sluice'));
    const { status, stdout } = runIn(files, image, ['/sluice', '--help'], tools.emulator());
    expect(status).toBe(0);
    expect(stdout).toMatch(/^Usage: sluice/);
  });

  it.each(
    executableTargets.filter(({ platform }) => platform === 'darwin').map(({ platform, arch }) => [platform, arch]),
  )('the executable for %s on %s is signed ad hoc, over the bytes that it has', (platform, arch) => {
    const program = readFileSync(unpacked(platform, arch));
    const signed = readCodeDirectory(program);
    expect(signed).toMatchObject({ isAdHoc: true, wrong: [] });
    expect(signed.pages).toBe(Math.ceil(signed.covers / 4096));
    // A reader that hashes nothing would pass the lines above.
    program[1_000_000] = (program[1_000_000] ?? 0) ^ 1;
    expect(readCodeDirectory(program).wrong).toEqual([Math.floor(1_000_000 / 4096)]);
  });
});

describe('the npm package', () => {
  it('the npm package has the command line and the chart, and neither tests nor sources', async () => {
    const archive = readFileSync(path.join(out, globSync('npm/*.tgz', { cwd: out })[0] ?? ''));
    const names = (await readTar(gunzipSync(archive))).map(({ name }) => name);
    expect(names).toContain('package/dist/sluice.mjs');
    expect(names).toContain('package/deploy/chart/Chart.yaml');
    expect(names.filter((name) => /^package\/(test|bench|release|lib)\//.test(name))).toEqual([]);
  });

  it('the npm package unpacks to a command line that runs from another folder without other packages', () => {
    const target = folder('npm');
    mkdirSync(target, { recursive: true });
    const [archive = ''] = globSync('npm/*.tgz', { cwd: out });
    must('tar', ['-xzf', path.join(out, archive), '-C', target]);
    const program = path.join(target, 'package', 'dist', 'sluice.mjs');
    const { status, stdout } = spawnSync(process.execPath, [program, '--help'], {
      cwd: '/',
      env: {},
      encoding: 'utf8',
    });
    expect(status).toBe(0);
    expect(stdout).toMatch(/^Usage: sluice/);
  });
});

describe('functions', () => {
  it('every function loads from its archive', () => {
    for (const archive of globSync('functions/*.zip', { cwd: out })) {
      const target = folder(archive.replace('.zip', ''));
      mkdirSync(target, { recursive: true });
      must('python3', ['-m', 'zipfile', '-e', path.join(out, archive), target]);
      writeFileSync(path.join(target, 'load.mjs'), "console.log(typeof (await import('./index.mjs')).handler)");
      const { stdout, stderr } = spawnSync(process.execPath, [path.join(target, 'load.mjs')], {
        env: {},
        encoding: 'utf8',
      });
      expect(stdout + stderr, archive).toMatch(/^function$|is not set/m);
    }
  });
});
