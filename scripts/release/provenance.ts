// in-toto statement with SLSA provenance of the artefacts; authenticated only by the signature of the checksums.
import { execFileSync } from 'node:child_process';
import { digestsOf } from './checksums.ts';
import { type Context, put } from './context.ts';
import { architectures, debianPackages, executableTargets, imageNode, type NodePackage } from './pins.ts';

interface Material {
  readonly uri: string;
  readonly digest: Readonly<Record<string, string>>;
}

/** Without times, so that the same commit gives the same statement. */
export function writeProvenance(context: Context): void {
  const statement = {
    _type: 'https://in-toto.io/Statement/v1',
    subject: digestsOf(context.out).map(({ name, sha256 }) => ({ name, digest: { sha256 } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'https://sluice.dev/release/v1',
        externalParameters: { version: context.version, ...(context.base ? { base: context.base } : {}) },
        internalParameters: { node: process.version, platform: `${process.platform}-${process.arch}` },
        resolvedDependencies: [
          sourceOf(context),
          ...(context.base ? [baseOf(context.base)] : debianMaterials()),
          ...nodeMaterials(),
        ],
      },
      runDetails: { builder: { id: context.builder } },
    },
  };
  put(context, 'provenance.intoto.json', `${JSON.stringify(statement, null, 2)}\n`);
}

/** The commit, marked if the working tree differs from it. */
function sourceOf({ root }: Context): Material {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  const gitCommit = git('rev-parse', 'HEAD');
  const isChanged = git('status', '--porcelain', '--untracked-files=no') !== '';
  return { uri: isChanged ? 'git+sluice?changed' : 'git+sluice', digest: { gitCommit } };
}

function baseOf(base: string): Material {
  const [name = '', sha256 = ''] = base.split('@sha256:');
  return { uri: `pkg:oci/${encodeURIComponent(name)}`, digest: { sha256 } };
}

function debianMaterials(): readonly Material[] {
  return architectures.flatMap((arch) =>
    debianPackages.map(({ name, version, sha256 }) => ({
      uri: `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${arch}`,
      digest: { sha256: sha256[arch] },
    })),
  );
}

function nodeMaterials(): readonly Material[] {
  const pins: readonly NodePackage[] = [...Object.values(imageNode), ...executableTargets.map(({ node }) => node)];
  return pins.map(({ name, version, integrity }) => ({
    uri: `pkg:npm/${name}@${version}`,
    digest: { sha512: Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex') },
  }));
}
