// Temporary folder for files that must not outlive this process, such as credentials.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

export interface TemporaryFolder {
  readonly path: string;
  remove(): void;
}

/** Removed at the latest when the process exits regularly. */
export function temporaryFolder(prefix: string): TemporaryFolder {
  const folder = mkdtempSync(path.join(tmpdir(), prefix));
  const remove = () => {
    process.off('exit', remove);
    rmSync(folder, { recursive: true, force: true });
  };
  process.on('exit', remove);
  return { path: folder, remove };
}
