// `node scripts/build.ts` writes the command line to dist/; `node scripts/build.ts --single FILE` writes it as one file.
import path from 'node:path';
import { makeBuild } from '../lib/local/build.ts';
import { bundleInChunks, bundleInOneFile } from './commandBundle.ts';

const [option, file] = process.argv.slice(2);
if (option === undefined) {
  const folder = path.join(import.meta.dirname, '..', 'dist');
  await bundleInChunks(folder);
  // What `sluice demo` starts; one file for executables has no room for it.
  await makeBuild(path.join(folder, 'demo'));
} else if (option === '--single' && file !== undefined) await bundleInOneFile(file);
else {
  console.error('usage: node scripts/build.ts [--single FILE]');
  process.exit(2);
}
