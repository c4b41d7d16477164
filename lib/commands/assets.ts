// What verbs need of a checkout at run time; the build puts texts into the bundle, and leaves out what one file has no room for.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.join(import.meta.dirname, '..', '..');

/** Of this release. */
export const version = (JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string })
  .version;

/** Definitions of Sluice's own kinds, as YAML. */
export function releasedDefinitions(): readonly string[] {
  const folder = path.join(root, 'deploy', 'chart', 'crds');
  return readdirSync(folder)
    .sort()
    .map((file) => readFileSync(path.join(folder, file), 'utf8'));
}

/** Absent in executables, which have no room for what a local run starts. */
export const localRun: (() => Promise<typeof import('../local/runLocal.ts')>) | undefined = () =>
  import('../local/runLocal.ts');
