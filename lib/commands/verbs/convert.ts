// `sluice convert`: converts DeviceTaintRules to PacedTaintRules and back, as YAML.
import { stringify } from 'yaml';
import { ruleResource } from '../../adapters/kubernetes/servedVersion.ts';
import { convertManifest } from '../convertManifest.ts';
import type { Call } from '../definition.ts';
import { Failure, UsageFailure } from '../failure.ts';
import { textFlag } from '../flags.ts';
import { line } from '../io.ts';
import { readManifests } from '../manifests.ts';

export async function run({ args: [file = '-'], flags, io }: Call): Promise<number> {
  const version = versionIn(flags);
  const manifests = await readManifests(file, io);
  const conversions = manifests.map((manifest) => convertManifest(manifest, version));
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
    if (one.kind === 'Converted') for (const lost of one.lost) line(io.err, lost);
  }
  const rules = conversions.flatMap((one) => (one.kind === 'Converted' ? one.manifests : []));
  io.out.write(rules.map((rule) => stringify(rule)).join('---\n'));
  return 0;
}

function versionIn(flags: Call['flags']): string {
  const { versions } = ruleResource;
  const version = textFlag(flags, 'nativeVersion') ?? 'v1';
  if (versions.includes(version)) return version;
  throw new UsageFailure(`--native-version ${version} has no DeviceTaintRules`, `use one of ${versions.join(', ')}`);
}
