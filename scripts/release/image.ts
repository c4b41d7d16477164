// Image of watcher and executor for two architectures as an OCI layout, built without a container engine.
import path from 'node:path';
import { nodeFlags } from '../../lib/watcher/nodeFlags.ts';
import { compress, type Entry, file, packTar, releaseTime, sorted } from './archive.ts';
import { debianBase, user } from './base.ts';
import { pullBase } from './baseImage.ts';
import { bundleProgram } from './bundles.ts';
import { type Context, put } from './context.ts';
import { readNpmFile } from './downloads.ts';
import { type Descriptor, digestOf, mediaTypes, writeBlob, writeIndex, writeJson } from './oci.ts';
import { type Architecture, architectures, imageNode } from './pins.ts';

/** A layer of the layout with its diff id, the digest of its uncompressed bytes. */
export interface Layer {
  readonly descriptor: Descriptor;
  readonly diffId: string;
  readonly holds: string;
}

export const programs = ['watcher', 'executor'] as const;

/** Leaves 64 MiB of the chart's limit of 512 MiB for memory outside the heap. */
export const entrypoint = ['node', ...nodeFlags, '/app/watcher.mjs'];

const layoutOf = (context: Context) => path.join(context.out, 'image');

export async function buildImage(context: Context): Promise<void> {
  const programs = await layerOf(context, 'watcher and executor', await programEntries(context));
  const manifests = [];
  for (const architecture of architectures) manifests.push(await buildManifest(context, architecture, programs));
  const index = { schemaVersion: 2, mediaType: mediaTypes.index, manifests, annotations: annotationsOf(context) };
  const root = writeJson(layoutOf(context), mediaTypes.index, index);
  writeIndex(layoutOf(context), root);
  put(context, 'image-digest.txt', `${root.digest}\n`);
}

async function programEntries(context: Context): Promise<readonly Entry[]> {
  const entries: Entry[] = [{ kind: 'Directory', name: 'app', mode: 0o755 }];
  for (const name of programs) entries.push(file(`app/${name}.mjs`, await bundleProgram(context, `bin/${name}.ts`)));
  return entries;
}

async function buildManifest(context: Context, architecture: Architecture, app: Layer): Promise<Descriptor> {
  const node = await layerOf(context, 'Node', await nodeEntries(architecture));
  const base = context.base
    ? pullBase(context.base, architecture, layoutOf(context))
    : await debianLayers(context, architecture);
  const layers = [...base, node, app];
  const config = writeJson(layoutOf(context), mediaTypes.config, {
    created: releaseTime.toISOString(),
    architecture,
    os: 'linux',
    config: {
      User: `${user}:${user}`,
      Env: ['PATH=/usr/local/bin', 'NODE_ENV=production'],
      Entrypoint: entrypoint,
      WorkingDir: '/app',
      Labels: annotationsOf(context),
    },
    rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
    history: layers.map(({ holds }) => ({ created: releaseTime.toISOString(), created_by: holds })),
  });
  const manifest = writeJson(layoutOf(context), mediaTypes.manifest, {
    schemaVersion: 2,
    mediaType: mediaTypes.manifest,
    config,
    layers: layers.map(({ descriptor }) => descriptor),
    annotations: annotationsOf(context),
  });
  return { ...manifest, platform: { os: 'linux', architecture } };
}

async function debianLayers(context: Context, architecture: Architecture): Promise<readonly Layer[]> {
  return [await layerOf(context, 'Debian packages', await debianBase(context, architecture))];
}

/** Node's binary and licence, without npm. */
async function nodeEntries(architecture: Architecture): Promise<readonly Entry[]> {
  const pin = imageNode[architecture];
  return [
    file('usr/local/bin/node', await readNpmFile(pin, 'bin/node'), 0o755),
    file('usr/local/share/doc/node/LICENSE', await readNpmFile(pin, 'LICENSE')),
  ];
}

async function layerOf(context: Context, holds: string, entries: readonly Entry[]): Promise<Layer> {
  const tar = await packTar(sorted(withFolders(entries)));
  const descriptor = writeBlob(layoutOf(context), mediaTypes.layer, compress(tar));
  return { descriptor, diffId: digestOf(tar), holds };
}

/** Adds missing parent folders, owned by root and writable only by root. */
function withFolders(entries: readonly Entry[]): readonly Entry[] {
  const parents = entries.flatMap(({ name }) => {
    const parts = name.split('/').slice(0, -1);
    return parts.map((_, i) => parts.slice(0, i + 1).join('/'));
  });
  const folders = parents.map((name): Entry => ({ kind: 'Directory', name, mode: 0o755 }));
  return [...folders, ...entries];
}

function annotationsOf(context: Context): Readonly<Record<string, string>> {
  return {
    'org.opencontainers.image.licenses': 'Apache-2.0',
    'org.opencontainers.image.title': 'sluice',
    'org.opencontainers.image.version': context.version,
  };
}
