// `sluice convert`: converts DeviceTaintRules to PacedTaintRules and back, as YAML.
import { stringify } from 'yaml';
import { objectOf } from '../../adapters/kubernetes/read.ts';
import { ruleResource } from '../../adapters/kubernetes/servedVersion.ts';
import { convertManifest, selectsNoDevice } from '../convertManifest.ts';
import type { Call } from '../definition.ts';
import { Failure, UsageFailure } from '../failure.ts';
import { textFlag } from '../flags.ts';
import { line } from '../io.ts';
import { type Manifest, readManifests } from '../manifests.ts';
import { unknownFields } from '../ruleFields.ts';

export async function run({ args: [file = '-'], flags, io }: Call): Promise<number> {
  const version = versionIn(flags);
  const manifests = await readManifests(file, io);
  refuseUnknown(file, manifests);
  const conversions = manifests.map(({ value }) => ({ value, ...convertManifest(value, version) }));
  const refusals = conversions.flatMap((one) => (one.kind === 'Refused' ? [one.why] : []));
  // All or nothing: users could take a partial result for the complete one.
  if (refusals.length > 0) {
    const more = refusals.length > 1 ? ` (and ${refusals.length - 1} more)` : '';
    throw new Failure(`${refusals[0]}${more}; nothing was converted`);
  }
  if (conversions.every(({ kind }) => kind === 'Skipped'))
    throw new Failure(
      `${file === '-' ? 'standard input' : file} contains no rule`,
      'specify a file: sluice convert FILE',
    );
  for (const one of conversions) {
    if (one.kind === 'Skipped') line(io.err, `${one.why}: left out`);
    if (one.kind !== 'Converted') continue;
    for (const lost of one.lost) line(io.err, lost);
    const warning = selectsNoDevice(one.value);
    if (warning !== undefined) line(io.err, warning);
  }
  write(
    io,
    conversions.flatMap((one) => (one.kind === 'Converted' ? one.manifests : [])),
    flags.output === 'json',
  );
  return 0;
}

function write(io: Call['io'], rules: readonly object[], isJson: boolean): void {
  if (isJson) {
    const [rule, ...others] = rules;
    line(
      io.out,
      JSON.stringify(others.length === 0 ? rule : { apiVersion: 'v1', kind: 'List', items: rules }, null, 2),
    );
  } else io.out.write(rules.map((rule) => stringify(rule)).join('---\n'));
}

/** Like the API server with strict validation: a misspelt field would be lost without a word. */
function refuseUnknown(file: string, manifests: readonly Manifest[]): void {
  const problems = manifests.flatMap(({ value, lineOf }) => {
    const { kind, metadata } = objectOf(value);
    const rule = `${kind} ${objectOf(metadata).name}`;
    return unknownFields(value).map(({ path, nearest }) => ({
      text: `line ${lineOf(path)}: ${rule} has the unknown field ${pathText(path)}`,
      nearest,
    }));
  });
  if (problems.length === 0) return;
  const near = problems.length === 1 ? problems[0]?.nearest : undefined;
  throw new Failure(
    `${file === '-' ? 'standard input' : file}, ${problems.map(({ text }) => text).join('; ')}; nothing was converted`,
    near === undefined ? 'correct or remove what is unknown' : `did you mean ${near}?`,
  );
}

function pathText(path: readonly (string | number)[]): string {
  return path.reduce<string>(
    (text, one) => (typeof one === 'number' ? `${text}[${one}]` : `${text}${text === '' ? '' : '.'}${one}`),
    '',
  );
}

function versionIn(flags: Call['flags']): string {
  const { versions } = ruleResource;
  const version = textFlag(flags, 'nativeVersion') ?? 'v1';
  if (versions.includes(version)) return version;
  throw new UsageFailure(`--native-version ${version} has no DeviceTaintRules`, `use one of ${versions.join(', ')}`);
}
