// What every part of a release is told, and where its files go.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

export interface Context {
  /** Folder of the project that is packed. */
  readonly root: string;
  /** Folder that receives the artefacts. */
  readonly out: string;
  readonly version: string;
  /** Of the image: NAME@sha256:DIGEST in the place of Debian's packages. */
  readonly base: string | undefined;
  /** A Debian mirror in the place of those that apt knows on this machine. */
  readonly debianMirror: string | undefined;
  /** Where the executables can be downloaded from once they are published. */
  readonly downloads: string;
  /** Who builds, as a URI, for the provenance statement. */
  readonly builder: string;
  readonly say: (line: string) => void;
}

export function readVersion(root: string): string {
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string };
  return version;
}

/** Writes a file of the release, by its name within it. */
export function put(context: Context, name: string, content: Uint8Array | string): string {
  const target = path.join(context.out, name);
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, content);
  return target;
}
