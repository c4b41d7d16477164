// The clusters that sluice.yaml names.
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Io } from '../io.ts';

/** Absent where SLUICE_CONFIG names no file and none lies in the folder. A file that cannot be used is an error. */
export async function clustersOfFile(
  { env }: Pick<Io, 'env'>,
  folder = process.cwd(),
): Promise<readonly string[] | undefined> {
  if (!env.SLUICE_CONFIG && !existsSync(path.join(folder, 'sluice.yaml'))) return undefined;
  const { findConfig } = await import('../../config/load.ts');
  return findConfig({ environment: env, folder })
    ?.config.clusters.map(({ name }) => name)
    .sort();
}
