// Bundles the watcher's process into one file: `node scripts/bundleWatcher.ts <file>`.
import { build } from 'esbuild';
import { esbuildOptions } from '../infra/bundling.ts';

const [outfile] = process.argv.slice(2);
if (!outfile) {
  console.error('usage: node scripts/bundleWatcher.ts <file.mjs>');
  process.exit(2);
}
await build({ ...esbuildOptions('bin/watcher.ts'), outfile });
