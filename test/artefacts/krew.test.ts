// The manifest of the kubectl plugin: the check refuses what krew would refuse.
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { archiveOf } from '../../scripts/release/executables.ts';
import { checkKrewManifest, writeKrewManifest } from '../../scripts/release/krew.ts';
import { executableTargets } from '../../scripts/release/pins.ts';

let out: string;
const context = () => ({
  root: '.',
  out,
  version: '1.2.3',
  base: undefined,
  debianMirror: undefined,
  downloads: 'https://example.com/d',
  builder: 'https://example.com/b',
  say: () => undefined,
});
beforeAll(() => {
  out = mkdtempSync(path.join(tmpdir(), 'sluice-krew-'));
});
afterAll(() => rmSync(out, { recursive: true, force: true }));

describe('the krew manifest', () => {
  it('the krew manifest is not written without the executables', () => {
    expect(() => writeKrewManifest(context())).toThrow('is missing: build the part executables as well');
  });

  it('the krew manifest names every executable by its address, its hash and its platform', () => {
    mkdirSync(path.join(out, 'executables'));
    for (const target of executableTargets)
      writeFileSync(path.join(out, archiveOf(target)), `${target.platform}${target.arch}`);
    writeKrewManifest(context());
    const manifest = parse(readFileSync(path.join(out, 'krew', 'sluice.yaml'), 'utf8'));
    expect(manifest.spec.version).toBe('v1.2.3');
    const hash = (text: string) => createHash('sha256').update(text).digest('hex');
    expect(manifest.spec.platforms.map(({ files: _, bin: __, ...one }: Record<string, unknown>) => one)).toEqual(
      executableTargets.map(({ platform, arch }) => ({
        selector: { matchLabels: { os: platform, arch: arch === 'x64' ? 'amd64' : 'arm64' } },
        uri: `https://example.com/d/v1.2.3/sluice-${platform}-${arch}.tar.gz`,
        sha256: hash(`${platform}${arch}`),
      })),
    );
  });
});

const platform = {
  selector: { matchLabels: { os: 'linux', arch: 'amd64' } },
  uri: 'https://example.com/a.tar.gz',
  sha256: 'a'.repeat(64),
  files: [{ from: 'a', to: '.' }],
  bin: 'a',
};
const manifestWith = (spec: object) => ({
  apiVersion: 'krew.googlecontainertools.github.com/v1alpha2',
  kind: 'Plugin',
  metadata: { name: 'sluice' },
  spec: { version: 'v1.0.0', shortDescription: 'x', platforms: [platform], ...spec },
});

describe('krew', () => {
  it('the check of the krew manifest accepts a valid manifest', () => {
    expect(() => checkKrewManifest(manifestWith({}))).not.toThrow();
  });

  it.each([
    ['a version without v', { version: '1.0.0' }, '/spec/version'],
    ['a short description of two lines', { shortDescription: 'a\nb' }, '/spec/shortDescription'],
    ['no platform', { platforms: [] }, '/spec/platforms'],
    ['a field that it does not know', { platfroms: [] }, '/spec'],
    [
      'an address without TLS',
      { platforms: [{ ...platform, uri: 'http://example.com/a.zip' }] },
      '/spec/platforms/0/uri',
    ],
    [
      'an archive that it cannot open',
      { platforms: [{ ...platform, uri: 'https://example.com/a.xz' }] },
      '/spec/platforms/0/uri',
    ],
    ['a hash that is too short', { platforms: [{ ...platform, sha256: 'ab' }] }, '/spec/platforms/0/sha256'],
    ['no file', { platforms: [{ ...platform, files: [] }] }, '/spec/platforms/0/files'],
    ['an empty selector', { platforms: [{ ...platform, selector: {} }] }, '/spec/platforms/0/selector'],
  ])('the check of the krew manifest refuses %s', (_, spec, place) => {
    expect(() => checkKrewManifest(manifestWith(spec))).toThrow(place);
  });
});
