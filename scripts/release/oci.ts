// Writes and reads OCI image layouts: blobs by digest, and an index with one entry.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Content descriptor, with the field names of the OCI image specification. */
export interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly platform?: { readonly os: string; readonly architecture: string };
  readonly annotations?: Readonly<Record<string, string>>;
}

export const mediaTypes = {
  index: 'application/vnd.oci.image.index.v1+json',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar+gzip',
} as const;

export const digestOf = (bytes: Uint8Array): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

export const blobPath = (folder: string, digest: string): string => path.join(folder, 'blobs', ...digest.split(':'));

export function writeBlob(folder: string, mediaType: string, bytes: Uint8Array): Descriptor {
  const digest = digestOf(bytes);
  const target = blobPath(folder, digest);
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, bytes);
  return { mediaType, digest, size: bytes.length };
}

/** Key order is that of the object literals, so the bytes are reproducible. */
export function writeJson(folder: string, mediaType: string, content: object): Descriptor {
  return writeBlob(folder, mediaType, Buffer.from(JSON.stringify(content)));
}

export function writeIndex(folder: string, root: Descriptor): void {
  writeFileSync(path.join(folder, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }));
  const index = { schemaVersion: 2, mediaType: mediaTypes.index, manifests: [root] };
  writeFileSync(path.join(folder, 'index.json'), JSON.stringify(index));
}

/** Reads a JSON blob after verifying its digest. */
export function readBlob(folder: string, digest: string): Buffer {
  const bytes = readFileSync(blobPath(folder, digest));
  if (digestOf(bytes) !== digest) throw new Error(`blob ${digest} of ${folder} holds other bytes: ${digestOf(bytes)}`);
  return bytes;
}

/** The only entry of a layout's index. */
export function rootOf(folder: string): Descriptor {
  const { manifests } = JSON.parse(readFileSync(path.join(folder, 'index.json'), 'utf8')) as {
    manifests: readonly Descriptor[];
  };
  const [root] = manifests;
  if (!root || manifests.length !== 1)
    throw new Error(`the index of ${folder} names ${manifests.length} manifests, one is expected`);
  return root;
}
