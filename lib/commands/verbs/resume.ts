// `sluice resume`: ends one pause by name and prints the remaining pauses.

import { isObjectName } from '../../adapters/kubernetes/objectName.ts';
import { pausedAnnotation } from '../../decide/pauses.ts';
import { nameOf } from '../cluster/objects.ts';
import { type OpenCluster, withCluster } from '../cluster/open.ts';
import { readStopped } from '../cluster/stopped.ts';
import type { Call } from '../definition.ts';
import { pausesWritten } from '../get/policies.ts';
import { withInstallation } from '../installation/open.ts';
import { line } from '../io.ts';
import { type Annotated, annotatedObject, endAnnotated } from '../pause/annotatedPause.ts';
import { removeStop } from '../pause/clusterPause.ts';
import { type LiveSubject, nameFlag, subjectOf } from '../pause/subject.ts';
import { resumedText, resumeInTable } from '../pause/tablePause.ts';
import { dropResumed, resumeTaint } from '../pause/taintPause.ts';

export async function run(call: Call): Promise<number> {
  const subject = subjectOf(call, 'resume');
  const name = nameFlag(call, (one) => (subject.kind === 'Stop' ? isObjectName(one) : one === pausedAnnotation));
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
    case 'taint': {
      const left = await resumeTaint(cluster, subject.name, name);
      const what = `taint ${subject.name}`;
      // Its rules and its policy may have pauses of their own.
      return [left.length === 0 ? `pause ${name} of ${what} was removed` : leftText(what, name, left)];
    }
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
  const left = await leftOf(cluster, annotated);
  return leftText(left.what, of.name, left.pauses);
}

/** A policy that `pause taint` made is deleted with its last pause. */
async function leftOf(cluster: OpenCluster, of: Annotated) {
  const { object } = await annotatedObject(cluster, of);
  const pauses = of.kind === 'policy' ? await dropResumed(cluster, of.name) : pausesWritten(object);
  return { what: `${object.kind} ${nameOf(object)}`, pauses };
}

function leftText(what: string, name: string, left: readonly string[]): string {
  return left.length === 0
    ? `${what} is not paused any more`
    : `pause ${name} was removed; ${what} is still paused: ${left.join('; ')}`;
}
