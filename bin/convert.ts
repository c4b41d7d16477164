// `npm run convert`: native DeviceTaintRules as PacedTaintRules and the other way round, from YAML to YAML.
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { Command } from 'commander';
import { parseAllDocuments, stringify } from 'yaml';
import { convertRule } from '../lib/decide/convert.ts';

const program = new Command('sluice convert')
  .description(
    'Says rules of one kind in the other: DeviceTaintRules as PacedTaintRules, and back where the native API can.',
  )
  .argument('[file]', 'YAML or JSON, also a List as kubectl prints it; standard input where it is left out or "-"', '-')
  .option('--native-version <version>', 'version of resource.k8s.io in the native rules', 'v1')
  .addHelpText('after', '\n  kubectl get devicetaintrules -o yaml | npm run --silent convert > paced.yaml\n')
  .parse();

const [file = '-'] = program.args;
const { nativeVersion } = program.opts<{ nativeVersion: string }>();

const source = await (file === '-' ? text(process.stdin) : readFile(file, 'utf8')).catch((error: unknown) =>
  program.error(`${file} cannot be read: ${error instanceof Error ? error.message : error}`, { exitCode: 2 }),
);
const documents = parseAllDocuments(source);
const broken = documents.flatMap((document) => document.errors)[0];
if (broken) program.error(`${file} is no YAML: ${broken.message}`, { exitCode: 2 });

/** A List stands for its items. */
const manifests = documents.flatMap((document) => {
  const value = document.toJS() as { kind?: unknown; items?: unknown } | null;
  if (!value) return [];
  return Array.isArray(value.items) ? value.items : [value];
});
const conversions = manifests.map((manifest) => convertRule(manifest, nativeVersion));
const refusals = conversions.flatMap((one) => (one.kind === 'Refused' ? [one.why] : []));
// All or nothing: half of the rules would be taken for all of them.
if (refusals.length > 0) program.error(refusals.join('\n'), { exitCode: 1 });
const notes = conversions.flatMap((one) => (one.kind === 'Skipped' ? [`${one.why}: left out`] : []));
const losses = conversions.flatMap((one) => (one.kind === 'Converted' ? one.lost : []));
if (conversions.every(({ kind }) => kind === 'Skipped')) program.error(`${file} holds no rule`, { exitCode: 1 });
for (const note of [...notes, ...losses]) process.stderr.write(`${note}\n`);
process.stdout.write(
  conversions
    .flatMap((one) => (one.kind === 'Converted' ? one.manifests.map((rule) => stringify(rule)) : []))
    .join('---\n'),
);
