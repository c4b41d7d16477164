// Base layers of the image: the Debian packages that Node's binary needs, without shell and package manager.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Entry, file, readTar } from './archive.ts';
import type { Context } from './context.ts';
import { fetchDebian } from './downloads.ts';
import { run } from './goTool.ts';
import { type Architecture, debianPackages } from './pins.ts';

/** User id of the image; the chart uses the same. */
export const user = 65532;

/** Path where OpenSSL and the SDK's dependencies look for CAs. */
const bundleOfAuthorities = 'etc/ssl/certs/ca-certificates.crt';

const accounts = [
  file('etc/passwd', `root:x:0:0:root:/:/nonexistent\nnonroot:x:${user}:${user}:nonroot:/:/nonexistent\n`),
  file('etc/group', `root:x:0:\nnonroot:x:${user}:\n`),
  file('etc/nsswitch.conf', 'passwd: files\ngroup: files\nhosts: files dns\n'),
];

export async function debianBase(context: Context, arch: Architecture): Promise<readonly Entry[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-base-'));
  try {
    const entries: Entry[] = [...accounts];
    for (const pin of debianPackages) {
      const deb = path.join(folder, `${pin.name}.deb`);
      writeFileSync(deb, fetchDebian(pin, arch, context.debianMirror));
      const content = (await readTar(contentOf(deb))).filter(({ name }) => isNeeded(name));
      // status.d, as in distroless images, so that scanners can list the packages.
      entries.push(...content, file(`var/lib/dpkg/status.d/${pin.name}`, run('dpkg-deb', ['--field', deb])));
    }
    return [...entries, authoritiesOf(entries)];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Keeps licences; drops changelogs and files needed only to build packages. */
function isNeeded(name: string): boolean {
  return !/^usr\/share\/(lintian|man|bug)(\/|$)|^usr\/sbin|^usr\/share\/doc\/.*\/(?!copyright$)[^/]+$/.test(name);
}

function contentOf(deb: string): Buffer {
  const { status, stdout, stderr, error } = spawnSync('dpkg-deb', ['--fsys-tarfile', deb], { maxBuffer: 1 << 28 });
  if (status !== 0) throw new Error(`dpkg-deb cannot read ${path.basename(deb)}: ${error?.message ?? stderr}`);
  return stdout;
}

/** The CA bundle that update-ca-certificates would write at installation. */
function authoritiesOf(entries: readonly Entry[]): Entry {
  const found = entries.flatMap((entry) =>
    entry.kind === 'File' && /^usr\/share\/ca-certificates\/.*\.crt$/.test(entry.name) ? [entry] : [],
  );
  if (found.length === 0) throw new Error('ca-certificates holds no certificate');
  const texts = found.sort((a, b) => (a.name < b.name ? -1 : 1)).map(({ content }) => content.toString().trimEnd());
  return file(bundleOfAuthorities, `${texts.join('\n')}\n`);
}
