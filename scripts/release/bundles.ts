// Bundles of a release: functions as ZIP archives for Lambda, the image's processes, and the command line.
import { globSync } from 'node:fs';
import path from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import { esbuildOptions, functionOptions } from '../../infra/bundling.ts';
import { packZip } from './archive.ts';
import { type Context, put } from './context.ts';

async function bundle(root: string, options: BuildOptions): Promise<Buffer> {
  const { outputFiles } = await build({ ...options, absWorkingDir: root, write: false });
  const [output] = outputFiles;
  if (!output) throw new Error(`esbuild wrote no bundle of ${options.entryPoints}`);
  return Buffer.from(output.contents);
}

/** `entry`: path within the project. */
export function bundleProgram({ root }: Context, entry: string): Promise<Buffer> {
  return bundle(root, esbuildOptions(path.join(root, entry)));
}

/** As deployed by the CDK: `index.mjs` with export `handler`. */
export async function buildFunctions(context: Context): Promise<void> {
  for (const entry of globSync('functions/*.ts', { cwd: context.root }).sort()) {
    const bytes = await bundle(context.root, functionOptions(path.join(context.root, entry)));
    put(context, `functions/${path.basename(entry, '.ts')}.zip`, packZip({ 'index.mjs': bytes }));
  }
}
