// The pause of one taint, whatever puts it on devices: an EvictionPolicy with `pauseOnly` that selects its key.
import { type Json, objectOf } from '../../adapters/kubernetes/read.ts';
import { policyResource } from '../../adapters/kubernetes/servedVersion.ts';
import { isSame } from '../../decide/same.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import { createObject, deleteObject, findObject } from '../cluster/objects.ts';
import type { OpenCluster } from '../cluster/open.ts';
import { readPicture } from '../cluster/picture.ts';
import { asRead, untilWritten } from '../cluster/unchanged.ts';
import { Failure } from '../failure.ts';
import { pausesWritten } from '../get/policies.ts';
import { madeByLabel, madeName } from '../madeRules.ts';
import { nearestHelp } from '../nearest.ts';
import { annotate, endAnnotated, pauseKey } from './annotatedPause.ts';
import type { Note } from './clusterPause.ts';

const madeByPause = 'pause';

const attempts = 3;

/** The name depends only on the key, so that pauses of one taint are annotations of one policy. */
function taintPolicyName(key: string): string {
  return madeName(`pause-${key}`, [key]);
}

/** Refuses a key that no taint has. `isNew` is false if the taint has a pause of this name already. */
export async function pauseTaint(
  cluster: OpenCluster,
  key: string,
  note: Note,
): Promise<{ readonly object: Json; readonly isNew: boolean }> {
  await requireTaint(cluster, key);
  const name = taintPolicyName(key);
  const metadata = { name, labels: { [madeByLabel]: madeByPause }, annotations: { [pauseKey(note.name)]: note.text } };
  const object = { kind: 'EvictionPolicy', metadata, spec: { taints: { keys: [key] }, pauseOnly: true } };
  for (let attempt = 0; attempt < attempts; attempt++) {
    if ((await createObject(cluster, { resource: policyResource, name, isStrict: true }, object)) === 'Created')
      return { object, isNew: true };
    const found = await findObject(cluster, policyResource, { name });
    // Someone ended its last pause in the meantime.
    if (!found) continue;
    // With another policy of the name, the annotation would pause other taints, or not all devices with this one.
    if (!isSame(found.spec, { ...objectOf(found.spec), ...object.spec }))
      throw new Failure(
        `EvictionPolicy ${name} exists, and is not one that sluice pause taint creates; nothing was written`,
        `see: sluice describe policy ${name}`,
      );
    return annotate(cluster, { kind: 'policy', name }, note);
  }
  throw new Failure(`EvictionPolicy ${name} was created and deleted by others each time; nothing was written`);
}

async function requireTaint(cluster: OpenCluster, key: string): Promise<void> {
  const known = taintKeysIn((await readPicture(cluster)).snapshot);
  if (known.includes(key)) return;
  throw new Failure(
    `no rule or slice in context ${cluster.context} has a taint ${key}; nothing was written`,
    nearestHelp(key, known, 'sluice get taints'),
  );
}

/** All taint keys of rules, ResourceSlices and DeviceTaintSlices. */
function taintKeysIn({ rules, pools, agentTaints }: Snapshot): readonly string[] {
  const inSlices = [...pools.values()].flatMap(({ devices }) => [...devices.values()].flat());
  const ofAgents = [...(agentTaints ?? new Map()).values()].flat();
  return [...new Set([...rules, ...inSlices, ...ofAgents].map(({ taint }) => taint.key))];
}

/** Ends one pause; the policy is deleted with its last one. Returns what still pauses the taint. */
export async function resumeTaint(cluster: OpenCluster, key: string, name: string): Promise<readonly string[]> {
  const policy = taintPolicyName(key);
  const object = await findObject(cluster, policyResource, { name: policy });
  if (!object) throw new Failure(`taint ${key} has no pause ${name}`, 'see: sluice pauses');
  await endAnnotated(cluster, { object, resource: policyResource }, name);
  return dropResumed(cluster, policy);
}

/**
 * Deletes a policy that `pause taint` made, once nothing pauses it. Returns what pauses it otherwise. A pause that is added meanwhile stays:
 * the policy is then not as it was read.
 */
export function dropResumed(cluster: OpenCluster, name: string): Promise<readonly string[]> {
  return untilWritten<readonly string[]>(`EvictionPolicy ${name}`, async () => {
    const object = await findObject(cluster, policyResource, { name });
    if (!object) return [];
    const left = pausesWritten(object);
    if (left.length > 0 || !isMadeByPause(object)) return left;
    return (await deleteObject(cluster, { resource: policyResource, name }, asRead(object))) ? [] : 'Conflict';
  });
}

function isMadeByPause({ metadata, spec }: Json): boolean {
  return objectOf(objectOf(metadata).labels)[madeByLabel] === madeByPause && objectOf(spec).pauseOnly === true;
}
