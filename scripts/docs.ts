// Builds the docs site in docs/site/.vitepress/dist, or serves it for editing: `npm run docs`, `npm run docs -- --serve`.
// VitePress has a separate package.json, so that it is installed only to build the site; the build needs no network.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
// @ts-expect-error: plain JavaScript, because it also runs before anything is installed
import { install, installProblem } from './install.mjs';

const root = path.join(import.meta.dirname, '..');
const site = path.join(root, 'docs', 'site');

if (installProblem(site) !== undefined) {
  console.error('installing the generator of the docs site (once) ...');
  install(site, path.join(root, '.cache'));
}
const verb = process.argv.includes('--serve') ? 'dev' : 'build';
// VitePress links vue into the node_modules of its working directory, from which pages outside the site resolve it.
const vitepress = path.join(site, 'node_modules', 'vitepress', 'bin', 'vitepress.js');
const { status } = spawnSync(process.execPath, [vitepress, verb, site], { cwd: root, stdio: 'inherit' });
if (status === 0 && verb === 'build')
  console.error(
    `the site is in ${path.relative(process.cwd(), path.join(site, '.vitepress', 'dist'))}; to read it: npm run docs -- --serve`,
  );
process.exitCode = status ?? 1;
