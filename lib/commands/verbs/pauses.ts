// `sluice pauses`: everything that is paused, in every cluster that can be asked: who, when and why.
import { type Json, objectOf, textOf } from '../../adapters/kubernetes/read.ts';
import { namespaceResource, policyResource, stopResource } from '../../adapters/kubernetes/servedVersion.ts';
import { pausedAnnotation, pausePrefix } from '../../decide/pauses.ts';
import { formatInstant } from '../../model/time.ts';
import { readPauses } from '../../state/pauseRows.ts';
import { listObjects, nameOf } from '../cluster/objects.ts';
import { kubeconfigOf, type OpenCluster, withCluster } from '../cluster/open.ts';
import type { Call } from '../definition.ts';
import { failureLines, UsageFailure } from '../failure.ts';
import { annotationsOf } from '../get/policies.ts';
import { listRules } from '../get/rules.ts';
import { knownClusters } from '../installation/clusters.ts';
import { hasInstallation, type OpenInstallation, withInstallation } from '../installation/open.ts';
import { line } from '../io.ts';
import { formatOf, printFound } from '../output/print.ts';
import { isPausedNamespace, noteAnnotation } from '../pause/clusterPause.ts';
import { parseNote } from '../pause/note.ts';

interface PauseRow {
  readonly what: string;
  readonly name: string;
  readonly by?: string;
  readonly since?: string;
  readonly why: string;
}

export async function run(call: Call): Promise<number> {
  const format = formatOf(call);
  const asked = [
    ...(hasInstallation(call) ? [withInstallation(call, readStored)] : []),
    ...(kubeconfigOf(call) === undefined ? [] : [withCluster(call, readLive)]),
  ];
  if (asked.length === 0)
    throw new UsageFailure('no cluster and no installation is named', 'name one: --kubeconfig FILE, or --table NAME');
  const answers = await Promise.allSettled(asked);
  const failures = answers.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
  if (failures.length === asked.length) throw failures[0];
  const items = answers.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  const columns = [
    { name: 'PAUSED', of: ({ what }: PauseRow) => what, isName: true as const },
    { name: 'NAME', of: ({ name }: PauseRow) => name, isName: true as const },
    { name: 'BY', of: ({ by = '' }: PauseRow) => by },
    { name: 'SINCE', of: ({ since = '' }: PauseRow) => since },
    { name: 'WHY', of: ({ why }: PauseRow) => why },
  ];
  const object = (one: PauseRow) => ({ kind: 'Pause', ...one });
  printFound(
    call,
    { items, columns, object, name: ({ what, name }) => `${what.replace(' ', '/')}:${name}`, noun: 'pauses' },
    format,
  );
  for (const one of failures) line(call.io.err, `not all were asked: ${failureLines(one)[0]}`);
  return failures.length > 0 ? 1 : 0;
}

async function readStored(open: OpenInstallation): Promise<readonly PauseRow[]> {
  const clusters = (await knownClusters(open)) ?? [open.target.cluster ?? []].flat();
  const found = await Promise.all(
    ['*', ...clusters].map(async (cluster) => {
      const pauses = await readPauses({ table: open.table, cluster });
      return pauses
        .filter(({ of }) => of === (cluster === '*' ? 'everything' : 'cluster'))
        .map((one) => ({ one, cluster }));
    }),
  );
  return found.flat().map(({ one: { name, why, since, by }, cluster }) => ({
    what: cluster === '*' ? 'every cluster' : `cluster ${cluster}`,
    name,
    since: formatInstant(since),
    why,
    ...(by === undefined ? {} : { by }),
  }));
}

async function readLive(cluster: OpenCluster): Promise<readonly PauseRow[]> {
  const [stops, rules, policies, namespaces] = await Promise.all([
    listObjects(cluster, stopResource),
    listRules(cluster),
    listObjects(cluster, policyResource),
    listObjects(cluster, namespaceResource),
  ]);
  return [
    ...stops.map((one) =>
      rowOf(
        `cluster of context ${cluster.context}`,
        nameOf(one),
        annotationsOf(one)[noteAnnotation] ?? textOf(objectOf(one.spec).reason) ?? '',
      ),
    ),
    ...[...rules, ...policies].flatMap(annotatedRows),
    ...namespaces
      .filter(isPausedNamespace)
      .map((one) => rowOf(`namespace ${nameOf(one)}`, 'manual', annotationsOf(one)[noteAnnotation] ?? '')),
  ];
}

function annotatedRows(object: Json): readonly PauseRow[] {
  const what = `${object.kind} ${nameOf(object)}`;
  const annotations = annotationsOf(object);
  const plain = annotations[pausedAnnotation];
  return [
    ...(objectOf(object.spec).paused === true ? [rowOf(what, 'spec.paused', '')] : []),
    ...(plain === undefined || plain === 'false' ? [] : [rowOf(what, pausedAnnotation, '')]),
    ...Object.entries(annotations)
      .filter(([key]) => key.startsWith(pausePrefix))
      .map(([key, text]) => rowOf(what, key.slice(pausePrefix.length), text)),
  ];
}

function rowOf(what: string, name: string, text: string): PauseRow {
  return { what, name, ...parseNote(text) };
}
