// Bundles programs into one file each: `node scripts/bundleProgram.ts bin/watcher.ts <file> [<entry> <file>]...`.
import { build, type Plugin } from 'esbuild';
import { esbuildOptions } from '../infra/bundling.ts';
import { ownSchemas } from '../lib/local/cluster/definitions.ts';

/** Embeds the files that definitions.ts reads. */
const embedded: Plugin = {
  name: 'embedded',
  setup(builder) {
    builder.onLoad({ filter: /cluster[\\/]definitions\.ts$/ }, () => ({
      contents: `export const ownSchemas = () => (${JSON.stringify(ownSchemas(), withoutDescriptions)});`,
    }));
  },
};

/** Descriptions of fields are for people; `description` is also the name of a field, whose schema is an object. */
function withoutDescriptions(key: string, value: unknown): unknown {
  return key === 'description' && typeof value === 'string' ? undefined : value;
}

const names = process.argv.slice(2);
if (names.length === 0 || names.length % 2 === 1) {
  console.error('usage: node scripts/bundleProgram.ts <entry.ts> <file.mjs> [<entry.ts> <file.mjs>]...');
  process.exit(2);
}
const pairs = Array.from({ length: names.length / 2 }, (_, i) => [names[2 * i] ?? '', names[2 * i + 1] ?? ''] as const);
await Promise.all(pairs.map(([entry, outfile]) => build({ ...esbuildOptions(entry), plugins: [embedded], outfile })));
