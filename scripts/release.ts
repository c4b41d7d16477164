// Builds all artefacts of a release, reproducibly: `npm run release -- --dry-run`.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { Command, Option } from 'commander';
import { checkBase } from './release/baseImage.ts';
import { buildFunctions } from './release/bundles.ts';
import { buildChart } from './release/chart.ts';
import { writeChecksums } from './release/checksums.ts';
import { type Context, readVersion } from './release/context.ts';
import { buildExecutables } from './release/executables.ts';
import { buildImage } from './release/image.ts';
import { writeKrewManifest } from './release/krew.ts';
import { buildNpmPackage } from './release/npmPackage.ts';
import { writeProvenance } from './release/provenance.ts';
import { publish } from './release/publish.ts';
import { writeSbom } from './release/sbom.ts';
import { sign } from './release/sign.ts';

const root = path.join(import.meta.dirname, '..');

/** In build order: later parts refer to earlier ones. */
const parts: Readonly<Record<string, (context: Context) => void | Promise<void>>> = {
  functions: buildFunctions,
  chart: buildChart,
  npm: buildNpmPackage,
  sbom: writeSbom,
  image: buildImage,
  executables: buildExecutables,
  krew: writeKrewManifest,
  provenance: writeProvenance,
  checksums: writeChecksums,
};

interface Options {
  readonly dryRun?: true;
  readonly out: string;
  readonly only?: string;
  readonly base?: string;
  readonly debianMirror?: string;
  readonly downloads: string;
  readonly builder: string;
  readonly key?: string;
  readonly registry?: string;
  readonly repository: string;
}

/** Parts of `--only`; throws for an unknown name. */
function chosenParts(only: string | undefined): readonly string[] {
  const names = only?.split(',') ?? Object.keys(parts);
  const unknown = names.filter((name) => !(name in parts));
  if (unknown.length > 0) throw new Error(`--only ${unknown.join(',')}: there are ${Object.keys(parts).join(', ')}`);
  return names;
}

const defaultOut = 'release';

/** Empties the output folder only if it is the default one, which no other program uses. */
function emptyFolder(out: string): void {
  if (out === path.resolve(defaultOut)) rmSync(out, { recursive: true, force: true });
  else if (existsSync(out) && readdirSync(out).length > 0)
    throw new Error(`--out ${out} is not empty: name a new folder, or remove it first`);
}

async function release(options: Options): Promise<void> {
  const { dryRun, out, only, key, registry, repository, ...chosen } = options;
  if (!dryRun && !registry) throw new Error('--registry HOST is not set: name where to publish, or add --dry-run');
  if (!dryRun && only) throw new Error('--only needs --dry-run: a part of a release is not published');
  const context: Context = {
    root,
    out: path.resolve(out),
    version: readVersion(root),
    base: chosen.base,
    debianMirror: chosen.debianMirror,
    downloads: chosen.downloads,
    builder: chosen.builder,
    say: (line) => console.error(line),
  };
  const names = chosenParts(only);
  if (context.base) checkBase(context.base);
  if (key && !names.includes('checksums')) throw new Error('--key signs the checksums: add them to --only');
  emptyFolder(context.out);
  for (const name of names) {
    const started = performance.now();
    await parts[name]?.(context);
    context.say(`${name.padEnd(12)} ${((performance.now() - started) / 1000).toFixed(1)} s`);
  }
  if (key) sign(context, key);
  else context.say('not signed: --key FILE is not set');
  if (registry && !dryRun) publish(context, registry, repository);
  else context.say('dry run: nothing was published');
  console.log(context.out);
}

/** A workflow sets variables without a value to the empty string: treat them as absent. */
for (const [name, value] of Object.entries(process.env))
  if (name.startsWith('SLUICE_RELEASE_') && value === '') delete process.env[name];

const variable = (flags: string, text: string, name: string) => new Option(flags, text).env(`SLUICE_RELEASE_${name}`);
const program = new Command('release')
  .description('builds every artefact of a release, the same bytes each time')
  .option('--dry-run', 'build and check, publish nothing')
  .option('--out <folder>', 'where the artefacts go', defaultOut)
  .option('--only <parts>', `some of ${Object.keys(parts).join(', ')}; with --dry-run`)
  .option('--base <name@sha256:digest>', "another base of the image than Debian's packages")
  .addOption(
    variable('--debian-mirror <url>', 'where apt fetches the base from; default: as this machine', 'DEBIAN_MIRROR'),
  )
  .addOption(
    variable('--downloads <url>', 'folder of the published executables', 'DOWNLOADS').default(
      'https://example.com/sluice',
    ),
  )
  .addOption(
    variable('--builder <uri>', 'who builds, for the provenance statement', 'BUILDER').default(
      'https://sluice.dev/builders/by-hand',
    ),
  )
  .addOption(variable('--key <file>', "cosign's key; its password is in COSIGN_PASSWORD", 'KEY'))
  .addOption(variable('--registry <host>', 'where image and chart are pushed to', 'REGISTRY'))
  .addOption(variable('--repository <path>', 'path below the registry', 'REPOSITORY').default('sluice'));

try {
  await release(program.parse().opts<Options>());
} catch (error) {
  console.error(`release: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}
