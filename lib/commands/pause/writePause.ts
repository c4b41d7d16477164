// Writes a pause to a cluster, and checks later whether the pause still exists.
import { policyResource, stopResource } from '../../adapters/kubernetes/servedVersion.ts';
import { findObject, nameOf } from '../cluster/objects.ts';
import type { OpenCluster } from '../cluster/open.ts';
import { type Annotated, annotate, annotatedObject, pauseIn } from './annotatedPause.ts';
import { type Note, stopCluster } from './clusterPause.ts';
import { alreadyPaused } from './note.ts';
import { annotatedRow, type PauseRow, stopRow } from './pauseRows.ts';
import type { LiveSubject } from './subject.ts';
import { pauseTaint } from './taintPause.ts';

export interface WrittenPause {
  /** Text such as `Namespace team-a`. */
  readonly what: string;
  /** If a pause of this name was there before, which stays as it is: `rule r is already paused by ada since …`. */
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
      const what = `taint ${subject.name}`;
      const { object, isNew } = await pauseTaint(cluster, subject.name, note);
      const policy = { name: nameOf(object) };
      return {
        what,
        already: isNew ? [] : alreadyOf(what, annotatedRow(object, note.name)),
        isStill: async () => {
          const found = await findObject(cluster, policyResource, policy);
          return found !== undefined && pauseIn(found, note.name) !== undefined;
        },
      };
    }
    default:
      return annotateOne(cluster, { kind: subject.kind, name: subject.name }, note);
  }
}

async function annotateOne(cluster: OpenCluster, of: Annotated, note: Note): Promise<WrittenPause> {
  const { object, isNew } = await annotate(cluster, of, note);
  const what = `${object.kind} ${nameOf(object)}`;
  return {
    what,
    already: isNew ? [] : alreadyOf(what, annotatedRow(object, note.name)),
    isStill: async () => pauseIn((await annotatedObject(cluster, of)).object, note.name) !== undefined,
  };
}

function alreadyOf(what: string, row: PauseRow | undefined): readonly string[] {
  return row ? [alreadyPaused(what, row)] : [];
}
