// Creates a folder that is expensive to fill, once, and keeps it for later runs.
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';

/**
 * Returns `folder`. Fills a temporary folder and renames it at the end, so that an incomplete one is never used. Several processes
 * may do this at the same time; the first rename wins.
 */
export async function makeOnce(folder: string, fill: (making: string) => Promise<void> | void): Promise<string> {
  if (existsSync(folder)) return folder;
  const making = mkdtempSync(`${folder}-`);
  try {
    await fill(making);
    renameSync(making, folder);
  } catch (error) {
    rmSync(making, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
}
