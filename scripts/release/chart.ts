// The Helm chart as an archive and as an OCI artefact for Helm, and its CRDs separately.
import { globSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { compress, file, packTar } from './archive.ts';
import { type Context, put } from './context.ts';
import { mediaTypes, writeBlob, writeIndex, writeJson } from './oci.ts';

/** Media types defined by Helm for charts in registries. */
const helmTypes = {
  config: 'application/vnd.cncf.helm.config.v1+json',
  content: 'application/vnd.cncf.helm.chart.content.v1.tar+gzip',
} as const;

interface ChartFile {
  readonly name: string;
  readonly version: string;
  readonly description: string;
}

export async function buildChart(context: Context): Promise<void> {
  const folder = path.join(context.root, 'deploy', 'chart');
  const read = (name: string) => readFileSync(path.join(folder, name));
  const chart = parse(read('Chart.yaml').toString()) as ChartFile;
  if (chart.version !== context.version)
    throw new Error(`deploy/chart/Chart.yaml has version ${chart.version}, package.json ${context.version}`);
  const names = globSync('**/*', { cwd: folder })
    .map((name) => name.split(path.sep).join('/'))
    .filter((name) => statSync(path.join(folder, name)).isFile())
    .sort();
  const archive = compress(await packTar(names.map((name) => file(`${chart.name}/${name}`, read(name)))));
  put(context, `chart/${chart.name}-${chart.version}.tgz`, archive);
  writeArtefact(path.join(context.out, 'chart', 'oci'), chart, archive);
  for (const name of names.filter((one) => one.startsWith('crds/'))) put(context, name, read(name));
}

function writeArtefact(layout: string, chart: ChartFile, archive: Buffer): void {
  const config = writeJson(layout, helmTypes.config, chart);
  const content = writeBlob(layout, helmTypes.content, archive);
  const annotations = {
    'org.opencontainers.image.description': chart.description,
    'org.opencontainers.image.title': chart.name,
    'org.opencontainers.image.version': chart.version,
  };
  const manifest = { schemaVersion: 2, mediaType: mediaTypes.manifest, config, layers: [content], annotations };
  writeIndex(layout, writeJson(layout, mediaTypes.manifest, manifest));
}
