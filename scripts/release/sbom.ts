// The bill of materials (CycloneDX): npm's own list of what is shipped, and what the image holds besides.
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

interface Sbom {
  readonly serialNumber: string;
  readonly metadata: { readonly timestamp?: string };
  readonly components: readonly object[];
}

export function writeSbom(context: Context): void {
  const asked = ['sbom', '--sbom-format=cyclonedx', '--package-lock-only', '--omit=dev'];
  const sbom = JSON.parse(run('npm', asked, { cwd: context.root })) as Sbom;
  const base = context.base ? [] : architectures.flatMap(debianComponents);
  const components = [...sbom.components, ...base, ...nodeComponents()];
  const { timestamp: _, ...metadata } = sbom.metadata;
  const content = { ...sbom, metadata, components, serialNumber: '' };
  put(context, 'sbom.cdx.json', `${JSON.stringify({ ...content, serialNumber: serialNumber(content) }, null, 2)}\n`);
}

/** A UUID that follows from the content (version 8 of RFC 9562), where npm takes a random one. */
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
