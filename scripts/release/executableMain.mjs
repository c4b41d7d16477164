// Main module of an executable. Its other modules are assets, compiled only when imported, because compiling all takes 0.2 s.
import { createRequire, registerHooks } from 'node:module';
import { getAsset } from 'node:sea';

/** A virtual folder, which need not exist. */
const folder = 'file:///sluice/';

registerHooks({
  resolve(specifier, context, next) {
    const isOwn = specifier.startsWith('.') && context.parentURL?.startsWith(folder);
    const url = isOwn ? new URL(specifier, context.parentURL).href : specifier;
    return url.startsWith(folder) ? { url, format: 'module', shortCircuit: true } : next(specifier, context);
  },
  load(url, context, next) {
    if (!url.startsWith(folder)) return next(url, context);
    return { format: 'module', source: getAsset(url.slice(folder.length), 'utf8'), shortCircuit: true };
  },
});
// The main module of an executable can import only built-in modules of Node.
const { main } = createRequire(folder)(`${folder}sluice.mjs`);
process.exitCode = await main(process);
