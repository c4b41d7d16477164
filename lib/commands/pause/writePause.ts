// Writes a pause to a cluster, and checks later whether the pause still exists.
import { namespaceResource, stopResource } from '../../adapters/kubernetes/servedVersion.ts';
import { findObject, nameOf } from '../cluster/objects.ts';
import type { OpenCluster } from '../cluster/open.ts';
import { readPicture } from '../cluster/picture.ts';
import { Failure } from '../failure.ts';
import { nearestHelp } from '../nearest.ts';
import {
  annotate,
  annotatedObject,
  isPausedNamespace,
  type Note,
  pauseIn,
  pauseNamespace,
  stopCluster,
} from './clusterPause.ts';
import type { LiveSubject } from './subject.ts';
import { taintPauseOf } from './taintPause.ts';

export interface WrittenPause {
  /** Text such as `namespace team-a`. */
  readonly what: string;
  /** Message if a pause of this name already existed. */
  readonly replaced?: string | undefined;
  /** Reads the API server again. Throws if a paused rule or policy no longer exists. */
  isStill(): Promise<boolean>;
}

export async function writePause(cluster: OpenCluster, subject: LiveSubject, note: Note): Promise<WrittenPause> {
  switch (subject.kind) {
    case 'Stop': {
      const reason = await stopCluster(cluster, note);
      const replaced = `EvictionStop ${note.name} already existed and was overwritten; its reason was: ${reason}`;
      return {
        what: `the cluster of context ${cluster.context}`,
        ...(reason === undefined ? {} : { replaced }),
        isStill: async () => (await findObject(cluster, stopResource, { name: note.name })) !== undefined,
      };
    }
    case 'namespace':
      await pauseNamespace(cluster, subject.name, note.text);
      return {
        what: `namespace ${subject.name}`,
        async isStill() {
          const found = await findObject(cluster, namespaceResource, { name: subject.name });
          return found !== undefined && isPausedNamespace(found);
        },
      };
    case 'taint': {
      const paused = await taintedObjects(cluster, subject.name);
      return { ...(await annotateAll(cluster, paused, note)), what: `taint ${subject.name}` };
    }
    default:
      return annotateAll(cluster, [{ kind: subject.kind, name: subject.name }], note);
  }
}

interface Annotated {
  readonly kind: 'rule' | 'policy';
  readonly name: string;
}

async function annotateAll(cluster: OpenCluster, all: readonly Annotated[], note: Note): Promise<WrittenPause> {
  const read = ({ kind, name }: Annotated) => annotatedObject(cluster, kind, name);
  let what = '';
  for (const one of all) {
    const found = await read(one);
    what = `${found.object.kind} ${nameOf(found.object)}`;
    await annotate(cluster, found, note);
  }
  return {
    what,
    isStill: async () =>
      (await Promise.all(all.map(read))).every(({ object }) => pauseIn(object, note.name) !== undefined),
  };
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
