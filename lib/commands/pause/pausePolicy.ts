// The EvictionPolicies that `sluice pause taint` makes for slice taints that no policy selects alone, and that `sluice resume` removes.
import { type Json, objectOf } from '../../adapters/kubernetes/read.ts';
import { policyResource } from '../../adapters/kubernetes/servedVersion.ts';
import { pausePrefix } from '../../decide/pauses.ts';
import { createObject, deleteObject, nameOf, uidOf } from '../cluster/objects.ts';
import type { OpenCluster } from '../cluster/open.ts';
import { readPicture } from '../cluster/picture.ts';
import { annotationsOf, pausesWritten, requirePolicy } from '../get/policies.ts';
import { madeByLabel, madeName, subjectAnnotation } from '../madeRules.ts';
import type { Note } from './clusterPause.ts';
import { isSelectedWithout, type MissingPolicy } from './taintPause.ts';

const madeBy = 'pause';
const subjectPrefix = 'taint/';

/** Paused from its creation on; `isNew` is false if it exists, with or without that pause. */
export async function makePausePolicy(
  cluster: OpenCluster,
  missing: MissingPolicy,
  { name: pause, text }: Note,
): Promise<{ readonly name: string; readonly isNew: boolean }> {
  const { taints, copyOf } = missing;
  const [key = ''] = taints.keys;
  const copied = copyOf === undefined ? {} : objectOf((await requirePolicy(cluster, copyOf)).spec);
  const name = madeName(`${madeBy}-${key}`, [key, ...taints.drivers, ...taints.sources]);
  const annotations = { [subjectAnnotation]: `${subjectPrefix}${key}`, [`${pausePrefix}${pause}`]: text };
  const written = await createObject(
    cluster,
    { resource: policyResource, name },
    { metadata: { name, labels: { [madeByLabel]: madeBy }, annotations }, spec: { ...copied, taints } },
  );
  return { name, isNew: written === 'Created' };
}

/**
 * Deletes the policy if `sluice pause taint` made it, nothing pauses it any more, and other policies select its taints: pods of a deleted
 * policy that none replaces are kept. Returns what was done, for the user; nothing for any other policy.
 */
export async function removePausePolicy(cluster: OpenCluster, policy: Json): Promise<readonly string[]> {
  const key = keyOf(policy);
  if (key === undefined || pausesWritten(policy).length > 0) return [];
  const name = nameOf(policy);
  if (!isSelectedWithout(name, key, (await readPicture(cluster)).snapshot))
    return [`EvictionPolicy ${name} stays, because no other policy selects taint ${key}; it has no settings`];
  await deleteObject(cluster, { resource: policyResource, name }, uidOf(policy));
  return [`EvictionPolicy ${name}, which sluice pause made, is deleted`];
}

function keyOf(policy: Json): string | undefined {
  if (objectOf(objectOf(policy.metadata).labels)[madeByLabel] !== madeBy) return undefined;
  const subject = annotationsOf(policy)[subjectAnnotation];
  return subject?.startsWith(subjectPrefix) ? subject.slice(subjectPrefix.length) : undefined;
}
