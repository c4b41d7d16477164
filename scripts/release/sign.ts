// Signs the checksums, which cover all other files, with cosign and a given key, offline.
import path from 'node:path';
import { checksumFile } from './checksums.ts';
import type { Context } from './context.ts';
import { ensureGoTool, run } from './goTool.ts';

export const signatureFile = `${checksumFile}.sigstore.json`;

/** Configures no services: no transparency log, timestamps or identity certificates. */
const signingConfig = path.join(import.meta.dirname, 'signingConfig.json');

/** Signatures are randomized: the only bytes that are not reproducible. */
export function sign(context: Context, key: string): void {
  const cosign = ensureGoTool('cosign', context.say);
  const blob = path.join(context.out, checksumFile);
  const bundle = path.join(context.out, signatureFile);
  run(cosign, ['sign-blob', '--yes', '--key', key, '--signing-config', signingConfig, '--bundle', bundle, blob]);
}
