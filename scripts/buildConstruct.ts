// Writes dist/construct, or the given folder: the construct as JavaScript with types, and the bundles of its functions.
import { spawnSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { functionOptions } from '../infra/bundling.ts';

const root = path.join(import.meta.dirname, '..');
const output = path.resolve(process.argv[2] ?? path.join(root, 'dist', 'construct'));

rmSync(output, { recursive: true, force: true });
const tsc = path.join(root, 'node_modules', '.bin', 'tsc');
const compiled = spawnSync(tsc, ['--project', 'tsconfig.construct.json', '--outDir', output], {
  cwd: root,
  stdio: 'inherit',
});
if (compiled.status !== 0) process.exit(compiled.status ?? 1);
const functions = readdirSync(path.join(root, 'functions')).filter((name) => name.endsWith('.ts'));
for (const name of functions)
  await build({
    ...functionOptions(path.join(root, 'functions', name)),
    outfile: path.join(output, 'functions', path.basename(name, '.ts'), 'index.mjs'),
  });
console.error(`wrote ${output} with ${functions.length} functions`);
