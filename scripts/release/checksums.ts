// SHA-256 of every file of a release, in the format of `sha256sum --check`.
import { createHash } from 'node:crypto';
import { globSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { type Context, put } from './context.ts';

export const checksumFile = 'SHA256SUMS';

export interface Digest {
  /** Relative to the folder, with `/`. */
  readonly name: string;
  readonly sha256: string;
}

export function digestsOf(folder: string): readonly Digest[] {
  return globSync('**/*', { cwd: folder })
    .filter((name) => statSync(path.join(folder, name)).isFile() && !name.startsWith(checksumFile))
    .map((name) => ({
      name: name.split(path.sep).join('/'),
      sha256: createHash('sha256')
        .update(readFileSync(path.join(folder, name)))
        .digest('hex'),
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

export function writeChecksums(context: Context): void {
  const lines = digestsOf(context.out).map(({ name, sha256 }) => `${sha256}  ${name}\n`);
  put(context, checksumFile, lines.join(''));
}
