// Alternative base instead of Debian packages: an image from a registry by digest, pulled with crane.
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ensureGoTool, run } from './goTool.ts';
import type { Layer } from './image.ts';
import { blobPath, type Descriptor, mediaTypes, readBlob, rootOf } from './oci.ts';
import type { Architecture } from './pins.ts';

const byDigest = /^[^\s@]+@sha256:[0-9a-f]{64}$/;

/** Throws for a name without a digest, which could later mean another image. */
export function checkBase(name: string): void {
  if (!byDigest.test(name))
    throw new Error(`--base ${name} is not named by its digest: write NAME@sha256:DIGEST, a tag can move`);
}

/** Copies the base's layers into the layout. Node, in a layer above, needs glibc and libstdc++. */
export function pullBase(name: string, architecture: Architecture, layout: string): readonly Layer[] {
  const crane = ensureGoTool('crane', console.error);
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-base-'));
  try {
    run(crane, ['pull', '--format=oci', `--platform=linux/${architecture}`, name, folder]);
    const manifest = readJson<{ config: Descriptor; layers: readonly Descriptor[] }>(folder, rootOf(folder).digest);
    const config = readJson<{ architecture: string; rootfs: { diff_ids: readonly string[] } }>(
      folder,
      manifest.config.digest,
    );
    if (config.architecture !== architecture)
      throw new Error(`--base ${name} has no image for linux/${architecture}, only for ${config.architecture}`);
    return manifest.layers.map((layer, i) => {
      const target = blobPath(layout, layer.digest);
      mkdirSync(path.dirname(target), { recursive: true });
      cpSync(blobPath(folder, layer.digest), target);
      const descriptor = { mediaType: mediaTypes.layer, digest: layer.digest, size: layer.size };
      return { descriptor, diffId: config.rootfs.diff_ids[i] ?? '', holds: name };
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readJson<T>(folder: string, digest: string): T {
  return JSON.parse(readBlob(folder, digest).toString()) as T;
}
