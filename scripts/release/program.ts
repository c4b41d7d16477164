// The command line as scripts/build.ts bundles it: in chunks for the npm package, as one file for executables.
import path from 'node:path';
import type { Context } from './context.ts';
import { run } from './goTool.ts';

/** Writes dist/ of the project, or one file where it is named. */
export function buildProgram({ root }: Context, single?: string): void {
  const script = path.join(root, 'scripts', 'build.ts');
  run(process.execPath, [script, ...(single ? ['--single', single] : [])], { cwd: root });
}
