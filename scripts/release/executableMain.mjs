// What an executable starts with: its modules are assets, and one is compiled when it is imported, because all of them take 0.2 s.
import { createRequire, registerHooks } from 'node:module';
import { getAsset } from 'node:sea';

/** No such folder has to be there. */
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
// The main module of an executable imports nothing but modules of Node.
const { main } = createRequire(folder)(`${folder}sluice.mjs`);
process.exitCode = await main(process);
