// Options shared by all parts of a release, and its output folder.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

export interface Context {
  /** Project folder. */
  readonly root: string;
  /** Output folder. */
  readonly out: string;
  readonly version: string;
  /** Base of the image, NAME@sha256:DIGEST; absent: Debian packages. */
  readonly base: string | undefined;
  /** Debian mirror; absent: the sources of apt on this machine. */
  readonly debianMirror: string | undefined;
  /** URL of the published executables. */
  readonly downloads: string;
  /** URI of the builder, for the provenance statement. */
  readonly builder: string;
  readonly say: (line: string) => void;
}

export function readVersion(root: string): string {
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string };
  return version;
}

/** Writes a file of the release; `name`: path within the output folder. */
export function put(context: Context, name: string, content: Uint8Array | string): string {
  const target = path.join(context.out, name);
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, content);
  return target;
}
