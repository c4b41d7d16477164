// Manifest for `kubectl krew install sluice`, validated against krew.schema.json before it is written.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { stringify } from 'yaml';
import { type Context, put } from './context.ts';
import { archiveOf } from './executables.ts';
import { executableTargets } from './pins.ts';

const schema = JSON.parse(readFileSync(path.join(import.meta.dirname, 'krew.schema.json'), 'utf8')) as object;
const goArch = { x64: 'amd64', arm64: 'arm64' } as const;

export function writeKrewManifest(context: Context): void {
  const platforms = executableTargets.map((target) => {
    const archive = path.join(context.out, archiveOf(target));
    if (!existsSync(archive)) throw new Error(`krew: ${archive} is missing: build the part executables as well`);
    return {
      selector: { matchLabels: { os: target.platform, arch: goArch[target.arch] } },
      uri: `${context.downloads}/v${context.version}/${path.basename(archive)}`,
      sha256: createHash('sha256').update(readFileSync(archive)).digest('hex'),
      files: [
        { from: 'sluice', to: '.' },
        { from: 'LICENSE', to: '.' },
      ],
      bin: 'sluice',
    };
  });
  put(context, 'krew/sluice.yaml', stringify(checkKrewManifest(manifestOf(context.version, platforms))));
}

function manifestOf(version: string, platforms: readonly object[]): object {
  return {
    apiVersion: 'krew.googlecontainertools.github.com/v1alpha2',
    kind: 'Plugin',
    metadata: { name: 'sluice' },
    spec: {
      version: `v${version}`,
      homepage: 'https://sluice.dev',
      shortDescription: 'Evict pods from tainted devices at a set pace',
      description:
        'Sluice evicts pods from tainted devices (Dynamic Resource Allocation) at a pace that a person\ncan watch, explain and stop. This plugin is its command line.\n',
      platforms,
    },
  };
}

/** Throws with all validation errors. */
export function checkKrewManifest<T extends object>(manifest: T): T {
  const validate = new Ajv2020({ allErrors: true }).compile(schema);
  if (!validate(manifest)) {
    const places = validate.errors?.map(({ instancePath, message }) => `${instancePath || '/'} ${message}`) ?? [];
    throw new Error(`krew refuses this manifest: ${places.join('; ')}`);
  }
  return manifest;
}
