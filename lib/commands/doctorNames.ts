// What the command line names and the doctor reads: refuses options without effect, and reports names that the stack does not have.
import type { InstallationFacts } from '../doctor/facts.ts';
import { type Finding, problem } from '../doctor/finding.ts';
import type { Call } from './definition.ts';
import { UsageFailure } from './failure.ts';
import { isSet, textFlag } from './flags.ts';
import { nearestHelp } from './nearest.ts';

/** Options that only the check of an installation reads. */
const ofInstallation = ['stack', 'table', 'cluster', 'account'] as const;

/** For the check of a cluster by kubeconfig: the user would believe that the named installation was checked. */
export function refuseUnread({ flags }: Pick<Call, 'flags'>, otherwise = 'omit --kubeconfig and --context'): void {
  const named = ofInstallation.find((option) => textFlag(flags, option) !== undefined);
  const unread = named ?? (isSet(flags, 'drift') ? 'drift' : undefined);
  if (unread !== undefined)
    throw new UsageFailure(
      `--${unread} has no effect: the cluster of a kubeconfig is checked`,
      `omit --${unread}, or ${otherwise}`,
    );
}

type Facts = Pick<InstallationFacts, 'stack' | 'table' | 'clusters'>;

interface Names {
  readonly cluster?: string | undefined;
  readonly table?: string | undefined;
}

/** Clusters to check, and a problem for each name that the stack does not have; pure. */
export function checkNames(
  { stack, table, clusters }: Facts,
  named: Names,
): Pick<Facts, 'clusters'> & {
  readonly findings: readonly Finding[];
} {
  const isOther = named.table !== undefined && table.kind === 'Found' && table.value.name !== named.table;
  const checked = named.cluster === undefined ? clusters : clusters.filter(({ name }) => name === named.cluster);
  const known = clusters.map(({ name }) => name);
  return {
    clusters: checked,
    findings: [
      ...(isOther
        ? [
            problem(
              `table ${named.table}`,
              `the table of stack ${stack} is ${table.value.name}`,
              'omit --table, or name another stack by --stack',
            ),
          ]
        : []),
      ...(named.cluster === undefined || checked.length > 0
        ? []
        : [
            problem(
              `cluster ${named.cluster}`,
              `stack ${stack} has no such cluster`,
              nearestHelp(named.cluster, known, 'sluice get clusters'),
            ),
          ]),
    ],
  };
}
