// Runs and prints the checks of `sluice doctor`, also for verbs that end with them.
import { parse } from 'yaml';
import { evictRules, ownershipRules, reportRules, watcherRules } from '../adapters/kubernetes/rbac.ts';
import { checkCluster } from '../doctor/checkCluster.ts';
import { checkInstallation } from '../doctor/checkInstallation.ts';
import { readDefinition } from '../doctor/definitions.ts';
import { type Finding, render, warning } from '../doctor/finding.ts';
import { gather } from '../doctor/gather.ts';
import { defaultStackName } from '../outputs.ts';
import { countText } from '../view/words.ts';
import { releasedDefinitions } from './assets.ts';
import { withConnection } from './cluster/open.ts';
import type { Call } from './definition.ts';
import { checkNames } from './doctorNames.ts';
import { UsageFailure } from './failure.ts';
import { isSet, textFlag } from './flags.ts';
import { regionHelp } from './installation/regionHelp.ts';
import { configuredAccount, configuredTarget, tellOtherStack } from './installation/target.ts';
import { type Io, line, type OutputStream } from './io.ts';
import { fitLine } from './output/fitted.ts';

/** Marks of findings and arrows of remedies stand alone before the text. */
const hangs = { finding: 9, remedy: 12 } as const;

export function printFindings(
  { out, env }: { readonly out: OutputStream; readonly env: Io['env'] },
  findings: readonly Finding[],
): void {
  const count = (kind: Finding['kind']) => findings.filter((one) => one.kind === kind).length;
  for (const finding of findings) {
    const [first = '', ...remedy] = render(finding).split('\n');
    fitLine(out, first, { env, hang: hangs.finding });
    for (const one of remedy) fitLine(out, one, { env, hang: hangs.remedy });
  }
  line(out, `${count('Ok')} ok, ${countText(count('Warning'), 'warning')}, ${countText(count('Problem'), 'problem')}`);
}

export function examineCluster(call: Pick<Call, 'flags' | 'io'>): Promise<readonly Finding[]> {
  const clock = { now: call.io.now, sleep: call.io.sleep };
  return withConnection(call, ({ client, context, server }) =>
    checkCluster({
      name: context,
      endpoint: server,
      client,
      roles: [watcherRules, evictRules, reportRules, ownershipRules],
      definitions: releasedDefinitions().map((text) => readDefinition(parse(text))),
      clock,
      probes: call.flags.probe !== false,
    }),
  );
}

export async function examineInstallation(call: Pick<Call, 'flags' | 'io'>): Promise<readonly Finding[]> {
  const { flags, io } = call;
  const target = configuredTarget(call);
  tellOtherStack(call, target);
  const { stack, table, region } = target;
  if (stack === undefined && table !== undefined)
    throw new UsageFailure(
      `the doctor checks a stack, and only table ${table} is given`,
      'specify its stack: --stack NAME',
    );
  if (region === undefined) throw new UsageFailure('no AWS region is set', 'specify --region NAME or set AWS_REGION');
  const account = textFlag(flags, 'account') ?? configuredAccount(call);
  const drift = isSet(flags, 'drift') ? { drift: { sleep: io.sleep } } : {};
  const expected = account === undefined ? {} : { expectedAccount: account };
  const facts = await gather({ stack: stack ?? defaultStackName, region, ...expected, ...drift, now: io.now() });
  const known = facts.status.kind === 'Found' ? facts : undefined;
  const { clusters = [], findings = [] } = known
    ? checkNames(known, { cluster: textFlag(flags, 'cluster'), table: textFlag(flags, 'table') })
    : {};
  const help = regionHelp(region);
  const mistyped =
    help === undefined ? [] : [warning(`region ${region}`, help, 'correct it, unless it is newer than this release')];
  return [...mistyped, ...checkInstallation({ ...facts, clusters }), ...findings];
}
