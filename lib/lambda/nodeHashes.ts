// Replaces @noble/hashes in the bundles: the runtime has SHA-256, which the pure core may not import.
import { createHash } from 'node:crypto';

export function sha256(bytes: Uint8Array): Uint8Array {
  return createHash('sha256').update(bytes).digest();
}

export function utf8ToBytes(text: string): Uint8Array {
  return Buffer.from(text, 'utf8');
}

export function bytesToHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
