// Bundles the program and evaluates it once for each simulated process, so that each has its own module state.
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import vm from 'node:vm';
import { build } from 'esbuild';

export type Program = typeof import('./program.ts');

export const projectRoot = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

export interface Bundle {
  /** Another process: it shares no module state with the others. */
  evaluate(): Program;
}

export async function bundleProgram(): Promise<Bundle> {
  const built = await build({
    entryPoints: [path.join(projectRoot, 'test/faults/program.ts')],
    bundle: true,
    write: false,
    platform: 'node',
    format: 'cjs',
    target: 'node24',
    define: { 'import.meta.url': '__url' },
    nodePaths: [path.join(projectRoot, 'node_modules')],
    logLevel: 'error',
  });
  const text = built.outputFiles[0]?.text ?? '';
  const filename = path.join(projectRoot, 'test/faults/program.cjs');
  const script = new vm.Script(`(function (exports, require, module, __url) {${text}\n})`, { filename });
  const require = createRequire(filename);
  return {
    evaluate() {
      const module = { exports: {} };
      script.runInThisContext()(module.exports, require, module, `file://${filename}`);
      return module.exports as Program;
    },
  };
}
