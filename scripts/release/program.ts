// Builds dist/ for the npm package: the command line in chunks, its demo, and the construct.
import path from 'node:path';
import type { Context } from './context.ts';
import { run } from './goTool.ts';

export function buildDist({ root }: Context): void {
  for (const name of ['build.ts', 'buildConstruct.ts'])
    run(process.execPath, [path.join(root, 'scripts', name)], { cwd: root });
}
