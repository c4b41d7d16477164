// Creates the rule requested by `taint` or `drain`, or updates the rule that an earlier call created.
import { type Json, objectOf, textOf } from '../adapters/kubernetes/read.ts';
import { pacedRuleResource } from '../adapters/kubernetes/servedVersion.ts';
import { createObject, findObject, nameOf, patchObject, uidOf } from './cluster/objects.ts';
import type { OpenCluster } from './cluster/open.ts';
import { Failure } from './failure.ts';
import { annotationsOf, pausesWritten } from './get/policies.ts';
import { madeByLabel, subjectAnnotation } from './madeRules.ts';
import { changesOf, selectorPatch, taintsPatch } from './ruleChanges.ts';

/** Returns `pacedtaintrule.sluice.dev/a created`, `… unchanged` or `… changed from 1/s to 0.001/s`. Throws a Failure otherwise. */
export async function writeRule(cluster: OpenCluster, asked: Json): Promise<string> {
  const which = { resource: pacedRuleResource, name: nameOf(asked) };
  const answer = (done: string) => `pacedtaintrule.sluice.dev/${which.name} ${done}`;
  if ((await createObject(cluster, which, asked)) === 'Created') return answer('created');
  const found = await findObject(cluster, pacedRuleResource, which);
  if (!found || objectOf(found.metadata).deletionTimestamp !== undefined)
    throw new Failure(`PacedTaintRule ${which.name} is being deleted; it was not written`, 'run it again');
  const changes = changesOf(found, asked);
  const pauses = pausesWritten(found);
  const paused = pauses.length === 0 ? '' : `; it is paused: ${pauses.join('; ')}`;
  if (changes.length === 0) return answer(`unchanged${paused}`);
  await change(cluster, { found, asked, changes: changes.join(' and ') });
  return answer(`changed ${changes.join(' and ')}${paused}`);
}

/** Patches only if the resourceVersion is still the one that was compared. */
async function change(
  cluster: OpenCluster,
  { found, asked, changes }: { readonly found: Json; readonly asked: Json; readonly changes: string },
): Promise<void> {
  const name = nameOf(found);
  if (objectOf(objectOf(found.metadata).labels)[madeByLabel] === undefined)
    throw new Failure(
      `PacedTaintRule ${name} exists, but was not created by sluice taint or sluice drain; it was not changed ${changes}`,
      `see: sluice describe rule PacedTaintRule/${name}`,
    );
  const subject = annotationsOf(asked)[subjectAnnotation] ?? '';
  const patch = {
    metadata: {
      uid: uidOf(found),
      resourceVersion: textOf(objectOf(found.metadata).resourceVersion),
      annotations: { [subjectAnnotation]: subject },
    },
    spec: { deviceSelector: selectorPatch(found, asked), taints: taintsPatch(found, asked) },
  };
  try {
    await patchObject(cluster, { resource: pacedRuleResource, name }, patch);
  } catch (error) {
    throw new Failure(
      `PacedTaintRule ${name} exists, and was not changed ${changes}: ${(error as Error).message}`,
      `run it again, or delete the rule: sluice untaint ${subject.replace('/', ' ')}`,
    );
  }
}
