// Signs the checksums, which cover every other file, with cosign and a given key; nothing is sent anywhere.
import path from 'node:path';
import { checksumFile } from './checksums.ts';
import type { Context } from './context.ts';
import { ensureGoTool, run } from './goTool.ts';

export const signatureFile = `${checksumFile}.sigstore.json`;

/** Names no service: no transparency log, no time stamps, no certificate of an identity. */
const signingConfig = path.join(import.meta.dirname, 'signingConfig.json');

/** Signatures are random by nature: they are the one thing that differs from build to build. */
export function sign(context: Context, key: string): void {
  const cosign = ensureGoTool('cosign', context.say);
  const blob = path.join(context.out, checksumFile);
  const bundle = path.join(context.out, signatureFile);
  run(cosign, ['sign-blob', '--yes', '--key', key, '--signing-config', signingConfig, '--bundle', bundle, blob]);
}
