// Creates a folder and its parents one by one: Node's recursive mkdir never returns below /proc (24.21).
import { existsSync, mkdirSync, statSync } from 'node:fs';
import path from 'node:path';

/** Mode 0700. Throws if a folder cannot be created. */
export function makeFolder(folder: string): void {
  const above = path.dirname(folder);
  if (!existsSync(above) && above !== folder) makeFolder(above);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}
