// Writes a pause to a cluster, and checks later whether the pause still exists.
import { stopResource } from '../../adapters/kubernetes/servedVersion.ts';
import { findObject, nameOf } from '../cluster/objects.ts';
import type { OpenCluster } from '../cluster/open.ts';
import { readPicture } from '../cluster/picture.ts';
import { Failure } from '../failure.ts';
import { nearestHelp } from '../nearest.ts';
import { type Annotated, annotate, annotatedObject, pauseIn } from './annotatedPause.ts';
import { type Note, stopCluster } from './clusterPause.ts';
import { alreadyPaused } from './note.ts';
import { annotatedRow, type PauseRow, stopRow } from './pauseRows.ts';
import type { LiveSubject } from './subject.ts';
import { taintPauseOf } from './taintPause.ts';

export interface WrittenPause {
  /** Text such as `Namespace team-a`. */
  readonly what: string;
  /** For each pause of this name that was there before and stays as it is: `rule r is already paused by ada since …`. */
  readonly already: readonly string[];
  /** Reads the API server again. Throws if a paused object no longer exists. */
  isStill(): Promise<boolean>;
}

export async function writePause(cluster: OpenCluster, subject: LiveSubject, note: Note): Promise<WrittenPause> {
  switch (subject.kind) {
    case 'Stop': {
      const what = `the cluster of context ${cluster.context}`;
      const stop = await stopCluster(cluster, note);
      return {
        what,
        already: stop ? alreadyOf(what, stopRow(stop, cluster.context)) : [],
        isStill: async () => (await findObject(cluster, stopResource, { name: note.name })) !== undefined,
      };
    }
    case 'taint': {
      const paused = await taintedObjects(cluster, subject.name);
      return { ...(await annotateAll(cluster, paused, note)), what: `taint ${subject.name}` };
    }
    default:
      return annotateAll(cluster, [{ kind: subject.kind, name: subject.name }], note);
  }
}

async function annotateAll(cluster: OpenCluster, all: readonly Annotated[], note: Note): Promise<WrittenPause> {
  let what = '';
  const already: string[] = [];
  for (const one of all) {
    const { object, isNew } = await annotate(cluster, one, note);
    what = `${object.kind} ${nameOf(object)}`;
    if (!isNew) already.push(...alreadyOf(what, annotatedRow(object, note.name)));
  }
  const read = async (one: Annotated) => (await annotatedObject(cluster, one)).object;
  return {
    what,
    already,
    isStill: async () => (await Promise.all(all.map(read))).every((object) => pauseIn(object, note.name) !== undefined),
  };
}

function alreadyOf(what: string, row: PauseRow | undefined): readonly string[] {
  return row ? [alreadyPaused(what, row)] : [];
}

async function taintedObjects(cluster: OpenCluster, key: string): Promise<readonly Annotated[]> {
  const { rules, policies, problem, known } = taintPauseOf(key, (await readPicture(cluster)).snapshot);
  if (problem) throw new Failure(`${problem.what}; nothing was written`, problem.help);
  if (rules.length + policies.length === 0)
    throw new Failure(
      `no rule or slice in context ${cluster.context} has a taint ${key}; nothing was written`,
      nearestHelp(key, known, 'sluice get taints'),
    );
  const of = (kind: Annotated['kind'], names: readonly string[]) => names.map((name) => ({ kind, name }));
  return [...of('rule', rules), ...of('policy', policies)];
}
