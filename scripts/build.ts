// Bundles the command line into one file: `node scripts/build.ts [FILE]`, by default dist/sluice.mjs. The same sources give the same bytes.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { build, type Plugin } from 'esbuild';
import { releasedDefinitions } from '../lib/commands/assets.ts';

const root = path.join(import.meta.dirname, '..');
const [outfile = 'dist/sluice.mjs'] = process.argv.slice(2);

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
  outfile,
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
