// `sluice pauses`: everything that is paused, in every cluster that can be asked: who, when and why.
import { writerOf } from '../../adapters/kubernetes/author.ts';
import { type Json, objectOf, textOf } from '../../adapters/kubernetes/read.ts';
import { namespaceResource, policyResource, stopResource } from '../../adapters/kubernetes/servedVersion.ts';
import { pausedAnnotation, pausePrefix } from '../../decide/pauses.ts';
import { formatInstant } from '../../model/time.ts';
import { currentState } from '../../state/incarnationRows.ts';
import { readPauses } from '../../state/pauseRows.ts';
import { readNotedStops } from '../../state/stopRows.ts';
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

export interface PauseRow {
  readonly what: string;
  readonly name: string;
  readonly by?: string;
  readonly since?: string;
  readonly why: string;
}

export async function run(call: Call): Promise<number> {
  const format = formatOf(call);
  const asked = [
    ...(hasInstallation(call) ? [withInstallation(call, (open) => readStored(open, call.io.now()))] : []),
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
  await printFound(
    call,
    { items, columns, object, name: ({ what, name }) => `${what.replace(' ', '/')}:${name}`, noun: 'pauses' },
    format,
  );
  for (const one of failures) line(call.io.err, `not all were asked: ${failureLines(one)[0]}`);
  return failures.length > 0 ? 1 : 0;
}

async function readStored(open: OpenInstallation, now: number): Promise<readonly PauseRow[]> {
  const clusters = (await knownClusters(open)) ?? [open.target.cluster ?? []].flat();
  const found = await Promise.all(
    ['*', ...clusters].map(async (cluster) => {
      const pauses = await readPauses({ table: open.table, cluster });
      return pauses
        .filter(({ of }) => of === (cluster === '*' ? 'everything' : 'cluster'))
        .map((one) => ({ one, cluster }));
    }),
  );
  const stopped = await Promise.all(
    clusters.map(async (cluster): Promise<readonly PauseRow[]> => {
      const noted = await readNotedStops(await currentState(open.table, cluster), now);
      if (!noted) return [];
      const what = `cluster ${cluster}`;
      if (noted.stops.length === 0) return [{ what, name: 'EvictionStop', why: noted.why }];
      return noted.stops.map(({ name, reason = '', by, since }) => ({
        what,
        name: `EvictionStop ${name}`,
        ...(by === undefined ? {} : { by }),
        ...(since === undefined ? {} : { since: formatInstant(since) }),
        ...parseNote(reason),
      }));
    }),
  );
  const pauses = found.flat().map(
    ({ one: { name, why, since, by }, cluster }): PauseRow => ({
      what: cluster === '*' ? 'every cluster' : `cluster ${cluster}`,
      name,
      since: formatInstant(since),
      why,
      ...(by === undefined ? {} : { by }),
    }),
  );
  return [...pauses, ...stopped.flat()];
}

async function readLive(cluster: OpenCluster): Promise<readonly PauseRow[]> {
  const [stops, rules, policies, namespaces] = await Promise.all([
    listObjects(cluster, stopResource),
    listRules(cluster),
    listObjects(cluster, policyResource),
    listObjects(cluster, namespaceResource),
  ]);
  return pauseRows({ stops, rules, policies, namespaces, context: cluster.context });
}

/** Of objects as the API server has them. */
export function pauseRows(of: {
  readonly stops: readonly Json[];
  readonly rules: readonly Json[];
  readonly policies: readonly Json[];
  readonly namespaces: readonly Json[];
  readonly context: string;
}): readonly PauseRow[] {
  const { stops, rules, policies, namespaces, context } = of;
  return [
    ...stops.map((one) => {
      const text = annotationsOf(one)[noteAnnotation] ?? textOf(objectOf(one.spec).reason) ?? '';
      const since = textOf(objectOf(one.metadata).creationTimestamp);
      const row = rowOf(one, `cluster of context ${context}`, { name: nameOf(one), text, path: ['spec'] });
      return since === undefined ? row : { since, ...row };
    }),
    ...[...rules, ...policies].flatMap(annotatedRows),
    ...namespaces.filter(isPausedNamespace).map((one) =>
      rowOf(one, `namespace ${nameOf(one)}`, {
        name: 'manual',
        text: annotationsOf(one)[noteAnnotation] ?? '',
        path: annotation(noteAnnotation),
      }),
    ),
  ];
}

function annotatedRows(object: Json): readonly PauseRow[] {
  const what = `${object.kind} ${nameOf(object)}`;
  const annotations = annotationsOf(object);
  const plain = annotations[pausedAnnotation];
  return [
    ...(objectOf(object.spec).paused === true
      ? [rowOf(object, what, { name: 'spec.paused', text: '', path: ['spec', 'paused'] })]
      : []),
    ...(plain === undefined || plain === 'false'
      ? []
      : [rowOf(object, what, { name: pausedAnnotation, text: '', path: annotation(pausedAnnotation) })]),
    ...Object.entries(annotations)
      .filter(([key]) => key.startsWith(pausePrefix))
      .map(([key, text]) => rowOf(object, what, { name: key.slice(pausePrefix.length), text, path: annotation(key) })),
  ];
}

const annotation = (key: string) => ['metadata', 'annotations', key];

/** Who and when are what the note says; of one that was written by hand, what the API server noted of its field. */
function rowOf(
  object: Json,
  what: string,
  { name, text, path }: { readonly name: string; readonly text: string; readonly path: readonly string[] },
): PauseRow {
  const writer = writerOf(object, path);
  return {
    what,
    name,
    ...(writer ? { by: writer.manager } : {}),
    ...(writer?.at === undefined ? {} : { since: formatInstant(writer.at) }),
    ...parseNote(text),
  };
}
