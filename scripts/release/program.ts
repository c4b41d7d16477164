// The command line as scripts/build.ts bundles it: in chunks for the npm package, as one file for executables; and the construct.
import path from 'node:path';
import type { Context } from './context.ts';
import { run } from './goTool.ts';

const script = ({ root }: Context, name: string, ...args: readonly string[]) =>
  run(process.execPath, [path.join(root, 'scripts', name), ...args], { cwd: root });

/** One file, for an executable. */
export function buildSingleProgram(context: Context, target: string): void {
  script(context, 'build.ts', '--single', target);
}

/** All of dist/, which the npm package holds. */
export function buildDist(context: Context): void {
  script(context, 'build.ts');
  script(context, 'buildConstruct.ts');
}
