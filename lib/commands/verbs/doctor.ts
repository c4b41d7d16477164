// `sluice doctor`: looks at an installation in AWS, or at a cluster by its kubeconfig, and says what is wrong and what to do.
import { parse } from 'yaml';
import { evictRules, ownershipRules, reportRules, watcherRules } from '../../adapters/kubernetes/rbac.ts';
import { checkCluster } from '../../doctor/checkCluster.ts';
import { checkInstallation } from '../../doctor/checkInstallation.ts';
import { readDefinition } from '../../doctor/definitions.ts';
import { type Finding, render } from '../../doctor/finding.ts';
import { gather } from '../../doctor/gather.ts';
import { releasedDefinitions } from '../assets.ts';
import { withCluster } from '../cluster/open.ts';
import type { Call } from '../definition.ts';
import { UsageFailure } from '../failure.ts';
import { isSet, textFlag } from '../flags.ts';
import { configuredAccount, configuredTarget } from '../installation/open.ts';
import { line } from '../io.ts';
import { formatOf, printFound } from '../output/print.ts';

/** Status 1 where there is a problem. */
export async function run(call: Call): Promise<number> {
  const { io } = call;
  const format = formatOf(call);
  const findings = await examine(call);
  const count = (kind: Finding['kind']) => findings.filter((one) => one.kind === kind).length;
  if (format.kind === 'table' || format.kind === 'wide') {
    for (const finding of findings) line(io.out, render(finding));
    line(io.out, `${count('Ok')} ok, ${count('Warning')} to look at, ${count('Problem')} wrong`);
  } else {
    const found = { items: findings, columns: [], object: (one: Finding) => one, name: (one: Finding) => one.subject };
    printFound(call, { ...found, noun: 'findings' }, format);
  }
  return count('Problem') > 0 ? 1 : 0;
}

async function examine(call: Call): Promise<readonly Finding[]> {
  const { flags, io } = call;
  const isCluster = textFlag(flags, 'kubeconfig') !== undefined || textFlag(flags, 'context') !== undefined;
  return isCluster ? examineCluster(call) : examineInstallation({ flags, io });
}

function examineCluster(call: Call): Promise<readonly Finding[]> {
  const clock = { now: call.io.now, sleep: call.io.sleep };
  return withCluster(call, ({ client, context, server }) =>
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

async function examineInstallation(call: Pick<Call, 'flags' | 'io'>): Promise<readonly Finding[]> {
  const { flags, io } = call;
  const { stack = 'Sluice', region } = configuredTarget(call);
  if (region === undefined) throw new UsageFailure('no AWS region is named', 'name one: --region NAME, or AWS_REGION');
  const account = textFlag(flags, 'account') ?? configuredAccount(call);
  const drift = isSet(flags, 'drift') ? { drift: { sleep: io.sleep } } : {};
  const expected = account === undefined ? {} : { expectedAccount: account };
  return checkInstallation(await gather({ stack, region, ...expected, ...drift, now: io.now() }));
}
