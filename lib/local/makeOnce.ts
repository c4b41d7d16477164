// A folder that takes long to make, and is kept for later runs.
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';

/**
 * Answers `folder`. One that was left half made is not taken for a whole one: it gets its name last. Several may make the same at a
 * time, each beside `folder` under a name of its own; the first one counts.
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
