// `sluice pauses`: lists all pauses of the reachable clusters and the installation, with author, time and reason.
import { createLiveCluster } from '../../adapters/kubernetes/liveCluster.ts';
import { namespaceResource, policyResource, stopResource } from '../../adapters/kubernetes/servedVersion.ts';
import type { Incarnation } from '../../model/identity.ts';
import { listObjects } from '../cluster/objects.ts';
import { isClusterNamed, kubeconfigOf, type OpenCluster, withCluster } from '../cluster/open.ts';
import type { Call } from '../definition.ts';
import { Failure, failureLines, UsageFailure } from '../failure.ts';
import { textFlag } from '../flags.ts';
import { listRules } from '../get/rules.ts';
import { type OpenInstallation, withInstallation } from '../installation/open.ts';
import { isInstallationNamed, readsInstallation } from '../installation/target.ts';
import { line } from '../io.ts';
import { formatOf, printFound } from '../output/print.ts';
import { type PauseRow, pauseId, pauseRows } from '../pause/pauseRows.ts';
import { readStoredPauses } from '../pause/storedPauses.ts';

export async function run(call: Call): Promise<number> {
  const format = await formatOf(call);
  const live = kubeconfigOf(call) === undefined ? undefined : withCluster(call, readLive);
  const asked = Promise.resolve(live).then(
    (found) => found?.incarnation,
    () => undefined,
  );
  const stored = (open: OpenInstallation) => readStoredPauses(open, { now: call.io.now(), asked });
  const both = [
    ...(hasStored(call) ? [withInstallation(call, stored)] : []),
    ...(live === undefined
      ? []
      : [live.then(({ rows, refused, context }) => ({ rows, refused, context, isComplete: true }))]),
  ];
  if (both.length === 0)
    throw new UsageFailure(
      'neither a cluster nor an installation is given',
      'specify --kubeconfig FILE or --table NAME',
    );
  const answers = await Promise.allSettled<Found>(both);
  const failures = answers.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
  if (failures.length === both.length) throw failures[0];
  const found = answers.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const items = found.flatMap(({ rows }) => rows);
  failures.push(...found.flatMap(({ refused = [] }) => refused));
  if (found.some(({ isComplete }) => !isComplete))
    failures.push(
      new Failure(
        'the state table has no list of clusters: specify the stack (--stack NAME) or a cluster (--cluster NAME)',
      ),
    );
  const [{ context } = {}] = found;
  // Without an installation, pauses of other contexts may stand.
  const noun = both.length === 1 && context !== undefined ? `pauses in context ${context}` : 'pauses';
  const columns = [
    { name: 'PAUSED', of: ({ what }: PauseRow) => what, isName: true as const },
    { name: 'NAME', of: ({ name }: PauseRow) => name, isName: true as const },
    { name: 'BY', of: byText },
    { name: 'SINCE', of: ({ since = '' }: PauseRow) => since },
    { name: 'WHY', of: ({ why }: PauseRow) => why },
  ];
  await printFound(
    call,
    { items, columns, paragraph, object: (one) => ({ kind: 'Pause', ...one }), name: pauseId, noun },
    format,
  );
  for (const one of failures) line(call.io.err, `incomplete: ${failureLines(one)[0]}`);
  return failures.length > 0 ? 1 : 0;
}

/** A pause of a cluster that sluice.yaml names must not be missing. With a broken file, the verb fails after it has listed the others. */
function hasStored(call: Call): boolean {
  if (isClusterAlone(call)) return false;
  try {
    return readsInstallation(call, { hasCluster: false });
  } catch (error) {
    if (error instanceof UsageFailure) throw error;
    return true;
  }
}

/** As for pause: `--kubeconfig` or `--context` alone means exactly that cluster, which needs no AWS. */
function isClusterAlone(call: Call): boolean {
  return isClusterNamed(call) && !isInstallationNamed(call) && textFlag(call.flags, 'cluster') === undefined;
}

/** The API server records no writer of an object without fields; its audit log does. */
const byText = ({ by = 'not recorded' }: PauseRow) => by;

/** For a terminal in which the table would be cut: who paused it, when and why is what a person looks for. */
function paragraph(row: PauseRow): readonly string[] {
  const { what, name, since, why } = row;
  return [
    `${what}: ${name}`,
    `by ${byText(row)}${since === undefined ? '' : ` since ${since}`}${why === '' ? '' : `: ${why}`}`,
  ];
}

interface Found {
  readonly rows: readonly PauseRow[];
  readonly isComplete: boolean;
  readonly refused?: readonly unknown[];
  readonly context?: string;
}

interface Live {
  readonly incarnation: Incarnation | undefined;
  readonly rows: readonly PauseRow[];
  readonly context: string;
  /** Of the kinds that could not be read, while others could. */
  readonly refused: readonly unknown[];
}

async function readLive(cluster: OpenCluster): Promise<Live> {
  const [found, ...lists] = await Promise.all([
    createLiveCluster(cluster.client).incarnation(),
    ...[
      listObjects(cluster, stopResource),
      listRules(cluster),
      listObjects(cluster, policyResource),
      listObjects(cluster, namespaceResource),
    ].map((list) => list.catch((refused: unknown) => ({ refused }))),
  ]);
  const refused = lists.flatMap((one) => ('refused' in one ? [one.refused] : []));
  if (refused.length === lists.length) throw refused[0];
  const [stops = [], rules = [], policies = [], namespaces = []] = lists.map((one) => ('refused' in one ? [] : one));
  const incarnation = found.kind === 'Found' ? found.incarnation : undefined;
  return {
    incarnation,
    rows: pauseRows({ stops, rules, policies, namespaces, context: cluster.context }),
    refused,
    context: cluster.context,
  };
}
