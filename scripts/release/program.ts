// The command line as one file, dist/sluice.mjs: what the npm package and the executables hold.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { bundleProgram } from './bundles.ts';
import type { Context } from './context.ts';

export async function buildProgram(context: Context): Promise<string> {
  const target = path.join(context.root, 'dist', 'sluice.mjs');
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, await bundleProgram(context, 'bin/sluice.ts'));
  return target;
}
