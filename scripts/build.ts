// Writes dist/: the command line, and the programs that its demo starts.
import path from 'node:path';
import { makeBuild } from '../lib/local/build.ts';
import { bundleInChunks } from './commandBundle.ts';

const folder = path.join(import.meta.dirname, '..', 'dist');
await bundleInChunks(folder);
await makeBuild(path.join(folder, 'demo'));
