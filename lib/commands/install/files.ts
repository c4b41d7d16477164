// What `install` works with: CDK app, functions, chart. The build puts it in the place of this file (scripts/installFiles.ts).
import { Failure } from '../failure.ts';

/** Gzipped JSON: texts by name. Throws in a checkout, where nothing is packed. */
export function installFiles(): Uint8Array {
  throw new Failure('this checkout has not packed what is deployed', 'run: npm run build && node dist/sluice.mjs');
}
