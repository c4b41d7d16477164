// Software bill of materials (CycloneDX): npm's list of shipped packages, and other contents of the image.
import { createHash } from 'node:crypto';
import type { Context } from './context.ts';
import { put } from './context.ts';
import { run } from './goTool.ts';
import { type Architecture, architectures, debianPackages, debianSuite, executableTargets, imageNode } from './pins.ts';

interface Component {
  readonly type: string;
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly hashes: readonly { readonly alg: string; readonly content: string }[];
}

interface NpmComponent {
  readonly 'bom-ref': string;
  readonly properties?: readonly { readonly name: string; readonly value: string }[];
}

interface Sbom {
  readonly metadata: {
    readonly timestamp?: string;
    readonly component: { readonly name: string; readonly purl: string };
  };
  readonly components: readonly NpmComponent[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

export function writeSbom(context: Context): void {
  const sbom = shippedOf(
    JSON.parse(run('npm', ['sbom', '--sbom-format=cyclonedx', '--package-lock-only'], { cwd: context.root })) as Sbom,
  );
  const base = context.base ? [] : architectures.flatMap(debianComponents);
  const { timestamp: _, ...rest } = sbom.metadata;
  // npm uses the folder name as project name.
  const metadata = { ...rest, component: { ...rest.component, name: 'sluice' } };
  const content = {
    ...sbom,
    metadata,
    components: [...sbom.components, ...base, ...nodeComponents()],
    serialNumber: '',
  };
  put(context, 'sbom.cdx.json', `${JSON.stringify({ ...content, serialNumber: serialNumber(content) }, null, 2)}\n`);
}

const isDevelopment = ({ properties }: NpmComponent) =>
  properties?.some(({ name, value }) => name === 'cdx:npm:package:development' && value === 'true') === true;

/** Does not use npm's `--omit=dev`, which also omits shipped packages that a dev package depends on (npm 11.19.1). */
function shippedOf(sbom: Sbom): Sbom {
  const components = sbom.components.filter((one) => !isDevelopment(one));
  const left = new Set(sbom.components.filter(isDevelopment).map((one) => one['bom-ref']));
  for (const one of components) left.delete(one['bom-ref']);
  const dependencies = sbom.dependencies
    .filter(({ ref }) => !left.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => !left.has(one)) }));
  return { ...sbom, components, dependencies };
}

/** A UUID derived from the content (version 8, RFC 9562) instead of npm's random one. */
function serialNumber(content: object): string {
  const hash = createHash('sha256').update(JSON.stringify(content)).digest('hex');
  const parts = [hash.slice(0, 8), hash.slice(8, 12), `8${hash.slice(13, 16)}`, `a${hash.slice(17, 20)}`];
  return `urn:uuid:${[...parts, hash.slice(20, 32)].join('-')}`;
}

function debianComponents(arch: Architecture): readonly Component[] {
  return debianPackages.map(({ name, version, sha256 }) => {
    const purl = `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${arch}&distro=${debianSuite}`;
    const hashes = [{ alg: 'SHA-256', content: sha256[arch] }];
    return { type: 'library', 'bom-ref': purl, name, version, purl, hashes };
  });
}

function nodeComponents(): readonly Component[] {
  const pins = [...Object.values(imageNode), ...executableTargets.map(({ node }) => node)];
  return pins.map(({ name, version, integrity }) => {
    const purl = `pkg:npm/${name}@${version}`;
    const content = Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex');
    return {
      type: 'application',
      'bom-ref': `node:${purl}`,
      name,
      version,
      purl,
      hashes: [{ alg: 'SHA-512', content }],
    };
  });
}
