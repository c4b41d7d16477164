// Packs the files for `sluice install`: bundles of CDK app and functions, the chart, and the lock file of the CDK.
import { globSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { constants, gzipSync } from 'node:zlib';
import { type BuildOptions, build } from 'esbuild';
import { esbuildOptions, functionOptions } from '../infra/bundling.ts';

const root = path.join(import.meta.dirname, '..');

/** Not bundled: npm installs these on the user's machine (deploy/cdk/package.json). */
const external = ['aws-cdk-lib', 'cdk-nag', 'constructs'];

/** Gzipped JSON: content by path, sorted, for reproducible bytes. */
export async function packInstallFiles(): Promise<Buffer> {
  const files: Record<string, string> = {
    'cdk.json': JSON.stringify({ ...(JSON.parse(read('cdk.json')) as object), app: 'node infra/app.mjs' }),
    'infra/app.mjs': await bundle({ ...esbuildOptions('infra/app.ts'), external }),
    'package.json': read('deploy/cdk/package.json'),
    'package-lock.json': read('deploy/cdk/package-lock.json'),
  };
  for (const entry of globSync('functions/*.ts', { cwd: root }).sort())
    files[`functions/${path.basename(entry, '.ts')}/index.mjs`] = await bundle(functionOptions(path.join(root, entry)));
  const chart = globSync('deploy/chart/**/*', { cwd: root }).filter((name) => statSync(path.join(root, name)).isFile());
  for (const name of chart.sort()) files[path.posix.relative('deploy', name)] = read(name);
  return gzipSync(JSON.stringify(files), { level: constants.Z_BEST_COMPRESSION });
}

const read = (name: string) => readFileSync(path.join(root, name), 'utf8');

async function bundle(options: BuildOptions): Promise<string> {
  const { outputFiles } = await build({ ...options, absWorkingDir: root, write: false });
  const [output] = outputFiles;
  if (!output) throw new Error(`esbuild wrote no bundle of ${options.entryPoints}`);
  return output.text;
}
