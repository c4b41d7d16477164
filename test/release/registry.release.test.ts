// Image and chart in a registry on this machine: pushed by the release, checked by crane, pulled by Helm, and used as a base.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readVersion } from '../../scripts/release/context.ts';
import { rootOf } from '../../scripts/release/oci.ts';
import { publish } from '../../scripts/release/publish.ts';
import { root } from '../house/sources.ts';
import { build, folder, must, tools } from './build.ts';
import { readImage } from './unpack.ts';

let out: string;
let registry: ChildProcess;
let host: string;
const version = readVersion(root);

beforeAll(async () => {
  out = build('one', '--dry-run');
  registry = spawn(tools.crane(), ['registry', 'serve', '--address', '127.0.0.1:0'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  host = await new Promise((resolve, reject) => {
    let said = '';
    for (const stream of [registry.stdout, registry.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        said += text;
        const port = /serving on port (\d+)/.exec(said)?.[1];
        if (port) resolve(`127.0.0.1:${port}`);
      });
    registry.on('exit', () => reject(new Error(`the registry ended: ${said}`)));
  });
  publish({ ...context(), out }, host, 'team/sluice');
});
afterAll(() => {
  registry?.removeAllListeners('exit');
  registry?.kill();
});

const context = () => ({
  root,
  out,
  version,
  base: undefined,
  debianMirror: undefined,
  downloads: 'https://example.com',
  builder: 'https://example.com',
  say: () => undefined,
});

describe('a published release', () => {
  it('the published image has the digest of the release, and valid layers for both architectures', () => {
    const digest = readFileSync(path.join(out, 'image-digest.txt'), 'utf8').trim();
    expect(must(tools.crane(), ['digest', `${host}/team/sluice:${version}`]).trim()).toBe(digest);
    for (const architecture of ['amd64', 'arm64'])
      must(tools.crane(), [
        'validate',
        `--platform=linux/${architecture}`,
        '--remote',
        `${host}/team/sluice@${digest}`,
      ]);
  });

  it('the published chart is pulled by Helm with the bytes of the archive', () => {
    const target = folder('pulled');
    mkdirSync(target, { recursive: true });
    const chart = `oci://${host}/team/sluice/charts/sluice`;
    must(tools.helm(), ['pull', chart, '--version', version, '--plain-http', '-d', target], { env: { HOME: target } });
    const name = `sluice-${version}.tgz`;
    expect(readFileSync(path.join(target, name)).equals(readFileSync(path.join(out, 'chart', name)))).toBe(true);
    const values = ['--set', `image=r/s@sha256:${'a'.repeat(64)}`, '--set', 'queueUrl=https://example.com/q'];
    expect(must(tools.helm(), ['template', 'sluice', path.join(target, name), ...values])).toContain(
      'kind: Deployment',
    );
  });
});

describe('another base', () => {
  it('another base replaces the Debian packages, below Node and the programs', () => {
    const digest = readFileSync(path.join(out, 'image-digest.txt'), 'utf8').trim();
    const base = `${host}/team/sluice@${digest}`;
    const upon = build('upon', '--dry-run', '--only', 'image,checksums', '--base', base);
    for (const architecture of ['amd64', 'arm64']) {
      const [below, above] = [out, upon].map(
        (one) => readImage(path.join(one, 'image'), architecture).config.rootfs.diff_ids,
      );
      const [, node, programs] = below ?? [];
      expect(above).toEqual([...(below ?? []), node, programs]);
    }
    expect(rootOf(path.join(upon, 'image')).digest).not.toBe(digest);
  });

  it('a base that the registry does not have fails the build', () => {
    const base = `${host}/team/none@sha256:${'0'.repeat(64)}`;
    expect(() => build('none', '--dry-run', '--only', 'image,checksums', '--base', base)).toThrow();
  });
});
