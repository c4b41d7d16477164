// Bundles the command line, reproducibly.
import { rmSync } from 'node:fs';
import path from 'node:path';
import { build, type Plugin } from 'esbuild';
import { releasedDefinitions, version } from '../lib/commands/assets.ts';
import { packInstallFiles } from './installFiles.ts';

const root = path.join(import.meta.dirname, '..');

/** Embeds the files that assets.ts reads. */
const embedded = (localRun: string): Plugin => ({
  name: 'embedded',
  setup(builder) {
    builder.onLoad({ filter: /lib[\\/]commands[\\/]assets\.ts$/ }, () => ({
      contents: [
        `export const version = ${JSON.stringify(version)};`,
        `export const releasedDefinitions = () => ${JSON.stringify(releasedDefinitions())};`,
        `export const localRun = ${localRun};`,
      ].join('\n'),
      resolveDir: path.join(root, 'lib', 'commands'),
    }));
    builder.onLoad({ filter: /commands[\\/]install[\\/]files\.ts$/ }, async () => {
      packed ??= packInstallFiles();
      const text = (await packed).toString('base64');
      return { contents: `export const installFiles = () => Buffer.from('${text}', 'base64');` };
    });
  },
});

/** Packed once per process, because it takes seconds. */
let packed: Promise<Buffer> | undefined;

const programs = {
  /** Runs when imported. Its demo is beside it. */
  npm: { entry: 'bin/sluice.ts', localRun: "() => import('../local/runLocal.ts')" },
  /** Exports `main`, which scripts/release/executableMain.mjs calls. */
  executable: { entry: 'lib/commands/main.ts', localRun: 'undefined' },
} as const;

/** `sluice.mjs` and chunks that verbs import: a single file takes four times as long to start. */
export async function bundleInChunks(folder: string, program: keyof typeof programs = 'npm'): Promise<void> {
  const { entry, localRun } = programs[program];
  // Chunk names contain hashes, so chunks of an earlier build would remain.
  rmSync(folder, { recursive: true, force: true });
  await build({
    absWorkingDir: root,
    entryPoints: { sluice: entry },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    minify: true,
    mainFields: ['module', 'main'],
    banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
    logLevel: 'warning',
    plugins: [embedded(localRun)],
    outdir: folder,
    splitting: true,
    outExtension: { '.js': '.mjs' },
    chunkNames: 'chunks/[name]-[hash]',
  });
}
