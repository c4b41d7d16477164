// Bundles a process of deploy/Containerfile into one file: `node scripts/bundleProgram.ts bin/watcher.ts <file>`.
import { build } from 'esbuild';
import { esbuildOptions } from '../infra/bundling.ts';

const [entry, outfile] = process.argv.slice(2);
if (!entry || !outfile) {
  console.error('usage: node scripts/bundleProgram.ts <bin/name.ts> <file.mjs>');
  process.exit(2);
}
await build({ ...esbuildOptions(entry), outfile });
