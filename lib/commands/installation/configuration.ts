// The clusters that sluice.yaml names.
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { OpenInstallation } from './open.ts';

/** Absent where neither `--config` nor SLUICE_CONFIG names a file and none lies in the folder. A file that cannot be used is an error. */
export async function clustersOfFile(
  { file, io: { env } }: Pick<OpenInstallation, 'file' | 'io'>,
  folder = process.cwd(),
): Promise<readonly string[] | undefined> {
  if (!file && !env.SLUICE_CONFIG && !existsSync(path.join(folder, 'sluice.yaml'))) return undefined;
  const { findConfig } = await import('../../config/load.ts');
  return findConfig({ file, environment: env, folder })
    ?.config.clusters.map(({ name }) => name)
    .sort();
}
