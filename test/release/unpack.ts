// An image of a layout as a folder of files, and programs run in it as a container would: another root, no rights, nothing to write.
import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { type Descriptor, readBlob, rootOf } from '../../scripts/release/oci.ts';

export interface ImageConfig {
  readonly architecture: string;
  readonly os: string;
  readonly created: string;
  readonly config: {
    readonly User: string;
    readonly Env: readonly string[];
    readonly Entrypoint: readonly string[];
    readonly WorkingDir: string;
  };
  readonly rootfs: { readonly diff_ids: readonly string[] };
}

export interface Image {
  readonly config: ImageConfig;
  /** Uncompressed, from the lowest. */
  readonly layers: readonly Buffer[];
}

const json = <T>(layout: string, { digest }: Descriptor): T => JSON.parse(readBlob(layout, digest).toString()) as T;

export function readImage(layout: string, architecture: string): Image {
  const { manifests } = json<{ manifests: readonly Descriptor[] }>(layout, rootOf(layout));
  const found = manifests.find(({ platform }) => platform?.architecture === architecture);
  if (!found) throw new Error(`${layout} holds no image for ${architecture}`);
  const manifest = json<{ config: Descriptor; layers: readonly Descriptor[] }>(layout, found);
  const layers = manifest.layers.map(({ digest }) => gunzipSync(readBlob(layout, digest)));
  return { config: json<ImageConfig>(layout, manifest.config), layers };
}

export function unpack(image: Image, folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const layer of image.layers) {
    const { status, stderr } = spawnSync('tar', ['-x', '-C', folder], { input: layer });
    if (status !== 0) throw new Error(`tar: ${stderr}`);
  }
}

/** As the user of the image, in a mount namespace where the folder is the root and can only be read. Needs root. */
export function runIn(
  folder: string,
  image: Image,
  command: readonly string[],
  emulator?: string,
): SpawnSyncReturns<string> {
  if (process.getuid?.() !== 0) throw new Error('images are tried by chroot: run this as root');
  if (emulator) copyFileSync(emulator, path.join(folder, 'emulator'));
  const script =
    'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && cd "$1" && shift 2 && exec chroot --userspec="$0" . "$@"';
  const words = [...(emulator ? ['/emulator'] : []), ...command];
  const env = Object.fromEntries(image.config.config.Env.map((one) => one.split(/=(.*)/s).slice(0, 2)));
  const args = ['--mount', 'sh', '-c', script, image.config.config.User, folder, '--', ...words];
  return spawnSync('/usr/bin/unshare', args, {
    env: { ...env, PATH: `/usr/sbin:/usr/bin:/sbin:/bin` },
    encoding: 'utf8',
  });
}
