// Reproducible archives: bytes depend only on the content, because time, owner and order are fixed.
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { zipSync } from 'fflate';
import { extract, pack } from 'tar-stream';

export type Entry =
  | { readonly kind: 'File'; readonly name: string; readonly mode: number; readonly content: Buffer }
  | { readonly kind: 'Directory'; readonly name: string; readonly mode: number }
  | { readonly kind: 'Symlink'; readonly name: string; readonly target: string };

/** Build time in every artefact: the earliest time that a ZIP archive can hold. */
export const releaseTime = new Date('1980-01-01T00:00:00Z');

export const file = (name: string, content: Buffer | string, mode = 0o644): Entry => ({
  kind: 'File',
  name,
  mode,
  content: Buffer.from(content),
});

/** Keeps the given order; callers sort the entries. */
export async function packTar(entries: readonly Entry[]): Promise<Buffer> {
  const tar = pack();
  const bytes = buffer(tar);
  for (const entry of entries) {
    const owner = { uid: 0, gid: 0, mtime: releaseTime };
    if (entry.kind === 'File') tar.entry({ ...owner, name: entry.name, mode: entry.mode }, entry.content);
    else if (entry.kind === 'Directory')
      tar.entry({ ...owner, name: `${entry.name}/`, mode: entry.mode, type: 'directory' });
    else tar.entry({ ...owner, name: entry.name, mode: 0o777, type: 'symlink', linkname: entry.target });
  }
  tar.finalize();
  return bytes;
}

/** Node writes neither name nor time into the gzip header; explicit level, because defaults may change. */
export function compress(bytes: Buffer): Buffer {
  return gzipSync(bytes, { level: 6 });
}

/** Returns names without leading `./` and trailing `/`. */
export async function readTar(bytes: Buffer): Promise<readonly Entry[]> {
  const tar = extract();
  tar.end(bytes);
  const entries: Entry[] = [];
  for await (const item of tar) {
    const { type, mode = 0o644, linkname } = item.header;
    const name = item.header.name.replace(/^\.\//, '').replace(/\/$/, '');
    const content = await buffer(item);
    if (type === 'file') entries.push({ kind: 'File', name, mode, content });
    else if (type === 'directory') entries.push({ kind: 'Directory', name, mode });
    else if (type === 'symlink') entries.push({ kind: 'Symlink', name, target: linkname ?? '' });
    else throw new Error(`${name} of a tar archive is a ${type}: only files, directories and symbolic links are read`);
  }
  return entries;
}

/** Unique names, the last entry wins; parents before children. */
export function sorted(entries: readonly Entry[]): readonly Entry[] {
  const byName = new Map(entries.map((entry) => [entry.name, entry]));
  byName.delete('');
  byName.delete('.');
  return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** ZIP stores local time, so the Date is created from local fields: the same bytes in every time zone. */
export function packZip(files: Readonly<Record<string, Uint8Array>>): Uint8Array {
  const unixFile = { os: 3, attrs: 0o100644 << 16, mtime: new Date(1980, 0, 1), level: 9 } as const;
  const names = Object.keys(files).sort();
  return zipSync(Object.fromEntries(names.map((name) => [name, [files[name] ?? new Uint8Array(), unixFile]])));
}
