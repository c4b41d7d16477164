// Bundles programs into one file each: `node scripts/bundleProgram.ts bin/watcher.ts <file> [<entry> <file>]...`.
import { build } from 'esbuild';
import { esbuildOptions } from '../infra/bundling.ts';

const names = process.argv.slice(2);
if (names.length === 0 || names.length % 2 === 1) {
  console.error('usage: node scripts/bundleProgram.ts <entry.ts> <file.mjs> [<entry.ts> <file.mjs>]...');
  process.exit(2);
}
const pairs = Array.from({ length: names.length / 2 }, (_, i) => [names[2 * i] ?? '', names[2 * i + 1] ?? ''] as const);
await Promise.all(pairs.map(([entry, outfile]) => build({ ...esbuildOptions(entry), outfile })));
