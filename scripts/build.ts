// Bundles the command line: `node scripts/build.ts` writes dist/sluice.mjs and the chunks that verbs load, and
// `node scripts/build.ts --single FILE` one file for executables. The same sources give the same bytes.
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { build, type Plugin } from 'esbuild';
import { releasedDefinitions } from '../lib/commands/assets.ts';
import { makeBuild } from '../lib/local/build.ts';

const root = path.join(import.meta.dirname, '..');
const [option, single] = process.argv.slice(2);
if (option !== undefined && (option !== '--single' || single === undefined)) {
  console.error('usage: node scripts/build.ts [--single FILE]');
  process.exit(2);
}
const folder = path.join(root, 'dist');
// Chunks are named by what they hold: those of the build before would stay.
if (single === undefined) rmSync(folder, { recursive: true, force: true });

/** The bundle has no files beside it: what assets.ts reads is put into it. */
const embedded: Plugin = {
  name: 'embedded',
  setup(builder) {
    builder.onLoad({ filter: /lib[\\/]commands[\\/]assets\.ts$/ }, () => ({
      contents: `export const releasedDefinitions = () => ${JSON.stringify(releasedDefinitions())};`,
    }));
    // Of the manifest the version alone: the rest is for npm.
    builder.onLoad({ filter: /package\.json$/ }, ({ path: file }) =>
      file === path.join(root, 'package.json')
        ? {
            contents: JSON.stringify({
              version: (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version,
            }),
            loader: 'json',
          }
        : undefined,
    );
  },
};

await build({
  absWorkingDir: root,
  entryPoints: ['bin/sluice.ts'],
  // Only the chunks of a verb are parsed when it runs: one file of all of them takes four times as long to start.
  ...(single === undefined
    ? { outdir: folder, splitting: true, outExtension: { '.js': '.mjs' }, chunkNames: 'chunks/[name]-[hash]' }
    : { outfile: single }),
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  minify: true,
  mainFields: ['module', 'main'],
  banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
  plugins: [embedded],
  logLevel: 'warning',
});
// What `sluice demo` starts; one file for executables has no room for it.
if (single === undefined) await makeBuild(path.join(folder, 'demo'));
