// Processes a due row of the report stage: a lost report, a plan to refresh, a rule that expires, a stale reservation.
import type { ClusterId } from '../../model/identity.ts';
import type { DueMessage } from '../../model/message.ts';
import { kindOfDue } from '../../state/dueIndex.ts';
import { reportOf, ruleOfExpiry } from '../../state/reportRows.ts';
import { releaseClaim } from '../../steps/releaseClaim.ts';
import type { ClusterStepDependencies, ComeBack } from '../../steps/step.ts';
import type { Key } from '../../table.ts';
import { lookAtExpiry } from './expiry.ts';
import { report } from './report.ts';

/** The queue delivers these messages one by one. */
export async function lookAtDueReport(
  deps: ClusterStepDependencies,
  { cluster, rows }: DueMessage,
): Promise<ComeBack | undefined> {
  let comeBack: ComeBack | undefined;
  for (const key of rows) comeBack = (await look(deps, cluster, key)) ?? comeBack;
  return comeBack;
}

async function look(deps: ClusterStepDependencies, cluster: ClusterId, key: Key): Promise<ComeBack | undefined> {
  switch (kindOfDue(key)) {
    case 'RELEASE':
      return releaseClaim(deps, { cluster, claim: key.sk });
    case 'PLANS':
      return report(deps, { cluster, rule: key.sk, plan: true });
    default: {
      const rule = ruleOfExpiry(key);
      if (rule !== undefined) return lookAtExpiry(deps, { cluster, rule, key });
      const row = await deps.table.get(key);
      return row?.reportAt === undefined ? undefined : report(deps, { cluster, ...reportOf(key) });
    }
  }
}
