// `sluice resume`: ends one pause by name and prints the remaining pauses.

import { pausedAnnotation } from '../../decide/pauses.ts';
import { nameOf } from '../cluster/objects.ts';
import { type OpenCluster, withCluster } from '../cluster/open.ts';
import { readPicture } from '../cluster/picture.ts';
import { readStopped } from '../cluster/stopped.ts';
import type { Call } from '../definition.ts';
import { Failure } from '../failure.ts';
import { pausesWritten } from '../get/policies.ts';
import { withInstallation } from '../installation/open.ts';
import { line } from '../io.ts';
import { type Annotated, annotatedObject, endAnnotated, wherePaused } from '../pause/annotatedPause.ts';
import { removeStop } from '../pause/clusterPause.ts';
import { type LiveSubject, nameFlag, subjectOf } from '../pause/subject.ts';
import { resumedText, resumeInTable } from '../pause/tablePause.ts';
import { taintPauseOf } from '../pause/taintPause.ts';

export async function run(call: Call): Promise<number> {
  const subject = subjectOf(call, 'resume');
  const name = nameFlag(call, [pausedAnnotation]);
  const { io } = call;
  if (subject.kind === 'Everything' || subject.kind === 'Cluster') {
    const cluster = subject.kind === 'Cluster' ? subject.cluster : undefined;
    return withInstallation(call, async (open) => {
      const of = { cluster, name };
      line(io.out, resumedText(of, await resumeInTable(open, of)));
      return 0;
    });
  }
  return withCluster(call, async (cluster) => {
    for (const one of await resumeInCluster(cluster, subject, name)) line(io.out, one);
    return 0;
  });
}

/** Returns messages for the user: what was resumed, and what still keeps all pods, or why that is unknown. */
export async function resumeInCluster(
  cluster: OpenCluster,
  subject: LiveSubject,
  name: string,
): Promise<readonly string[]> {
  const said = await endPause(cluster, subject, name);
  const { stopped, problems } = await readStopped(cluster);
  return [...said, ...(stopped === undefined ? [] : [stopped]), ...problems];
}

async function endPause(cluster: OpenCluster, subject: LiveSubject, name: string): Promise<readonly string[]> {
  switch (subject.kind) {
    case 'Stop':
      await removeStop(cluster, name);
      return [`EvictionStop ${name} is deleted`];
    case 'taint':
      return resumeTaint(cluster, subject.name, name);
    default:
      return [await resumeObject(cluster, { kind: subject.kind, object: subject.name, name })];
  }
}

async function resumeObject(
  cluster: OpenCluster,
  of: { readonly kind: Annotated['kind']; readonly object: string; readonly name: string },
): Promise<string> {
  const annotated = { kind: of.kind, name: of.object };
  await endAnnotated(cluster, await annotatedObject(cluster, annotated), of.name);
  const { object } = await annotatedObject(cluster, annotated);
  const left = pausesWritten(object);
  const what = `${object.kind} ${nameOf(object)}`;
  return left.length === 0
    ? `${what} is not paused any more`
    : `pause ${of.name} was removed; ${what} is still paused: ${left.join('; ')}`;
}

async function resumeTaint(cluster: OpenCluster, key: string, name: string): Promise<readonly string[]> {
  const { rules, policies } = taintPauseOf(key, (await readPicture(cluster)).snapshot);
  const said: string[] = [];
  for (const [kind, names] of [
    ['rule', rules],
    ['policy', policies],
  ] as const)
    for (const object of names) {
      const found = await annotatedObject(cluster, { kind, name: object });
      if (wherePaused(found.object, name) === undefined) continue;
      said.push(await resumeObject(cluster, { kind, object, name }));
    }
  if (said.length === 0)
    throw new Failure(`no rule or policy with taint ${key} has a pause ${name}`, 'see: sluice pauses');
  return said;
}
