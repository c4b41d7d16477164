// The npm package: the files of `npm pack`, with modes and order independent of umask and file system.
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { compress, type Entry, packTar, readTar, sorted } from './archive.ts';
import { type Context, put } from './context.ts';
import { run } from './goTool.ts';
import { buildDist } from './program.ts';

export async function buildNpmPackage(context: Context): Promise<void> {
  buildDist(context);
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-npm-'));
  try {
    run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder], { cwd: context.root });
    const [name = ''] = globSync('*.tgz', { cwd: folder });
    const entries = await readTar(gunzipSync(readFileSync(path.join(folder, name))));
    put(context, `npm/${name}`, compress(await packTar(sorted(entries.map(withMode)))));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** No executable bit: npm sets it for `bin` at installation. */
function withMode(entry: Entry): Entry {
  return entry.kind === 'File' ? { ...entry, mode: 0o644 } : entry;
}
