// Reads a text file that a person names.
import { readFileSync, statSync } from 'node:fs';

/** Throws for a device such as /dev/zero or a terminal, which may never end; pipes, as of `<(command)`, are read. */
export function readTextFile(file: string): string {
  if (statSync(file).isCharacterDevice()) throw new Error('it is a device, not a file');
  return readFileSync(file, 'utf8');
}
