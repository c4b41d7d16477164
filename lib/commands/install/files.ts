// Files that `install` deploys: CDK app, functions and chart. The build replaces this module (scripts/installFiles.ts).
import { Failure } from '../failure.ts';

/** Gzipped JSON object: file content by path. Throws in a checkout, which packs no files. */
export function installFiles(): Uint8Array {
  throw new Failure('this checkout has not packed what is deployed', 'run: npm run build && node dist/sluice.mjs');
}
