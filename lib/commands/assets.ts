// Files of the checkout that verbs read at run time; the build embeds them in the bundle and leaves out the local run.
import { readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.join(import.meta.dirname, '..', '..');

/** Version of this release, from package.json. */
export const version = (JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string })
  .version;

export { releasedDefinitions } from '../local/cluster/definitions.ts';

/** Absent in single-file executables, which do not contain what a local run starts. */
export const localRun: (() => Promise<typeof import('../local/runLocal.ts')>) | undefined = () =>
  import('../local/runLocal.ts');
