// Pauses that are annotations of rules, policies and namespaces. A pause that exists is never overwritten.
import { type Json, objectOf } from '../../adapters/kubernetes/read.ts';
import { namespaceResource, policyResource, type Resource } from '../../adapters/kubernetes/servedVersion.ts';
import { pausedAnnotation, pausePrefix } from '../../decide/pauses.ts';
import { requireNamespace } from '../cluster/namespaces.ts';
import { nameOf, patchObject, tryPatch, uidOf } from '../cluster/objects.ts';
import type { OpenCluster } from '../cluster/open.ts';
import { asRead, untilWritten } from '../cluster/unchanged.ts';
import { Failure } from '../failure.ts';
import { annotationsOf, requirePolicy } from '../get/policies.ts';
import { requireRule, resourceOfRule } from '../get/rules.ts';
import type { Note } from './clusterPause.ts';

export interface Annotated {
  readonly kind: 'rule' | 'policy' | 'namespace';
  readonly name: string;
}

interface FoundObject {
  readonly object: Json;
  readonly resource: Resource;
}

export async function annotatedObject(cluster: OpenCluster, { kind, name }: Annotated): Promise<FoundObject> {
  switch (kind) {
    case 'policy':
      return { object: await requirePolicy(cluster, name), resource: policyResource };
    case 'namespace':
      return { object: await requireNamespace(cluster, name), resource: namespaceResource };
    case 'rule': {
      const object = await requireRule(cluster, name);
      return { object, resource: resourceOfRule(object) };
    }
    default:
      return kind satisfies never;
  }
}

/** Name of the pause that the field spec.paused of a rule or policy is. */
export const pausedField = 'spec.paused';

export const pauseKey = (name: string) => (name === pausedAnnotation ? name : `${pausePrefix}${name}`);

/** Text of a pause of a rule, a policy or a namespace; `undefined` if there is none of that name. */
export const pauseIn = (object: Json, name: string) => annotationsOf(object)[pauseKey(name)];

/** Where a pause of that name is written; `undefined` if there is none. */
export function wherePaused(object: Json, name: string): 'Annotation' | 'Field' | undefined {
  if (pauseIn(object, name) !== undefined) return 'Annotation';
  return name === pausedField && objectOf(object.spec).paused === true ? 'Field' : undefined;
}

/** `isNew` is false if the object has a pause of this name already. */
export function annotate(
  cluster: OpenCluster,
  of: Annotated,
  { name, text }: Note,
): Promise<{ readonly object: Json; readonly isNew: boolean }> {
  return untilWritten<{ readonly object: Json; readonly isNew: boolean }>(`${of.kind} ${of.name}`, async () => {
    const { object, resource } = await annotatedObject(cluster, of);
    if (pauseIn(object, name) !== undefined) return { object, isNew: false };
    const patch = { metadata: { ...asRead(object), annotations: { [pauseKey(name)]: text } } };
    const written = await tryPatch(cluster, { resource, name: nameOf(object) }, patch);
    return written === 'Conflict' ? written : { object, isNew: true };
  });
}

/** Throws a Failure if there is no pause of that name. */
export async function endAnnotated(
  cluster: OpenCluster,
  { object, resource }: FoundObject,
  name: string,
): Promise<void> {
  const kept = wherePaused(object, name);
  if (kept === undefined)
    throw new Failure(`${object.kind} ${nameOf(object)} has no pause ${name}`, 'see: sluice pauses');
  const uid = uidOf(object);
  const patch =
    kept === 'Field'
      ? { metadata: { uid }, spec: { paused: null } }
      : { metadata: { uid, annotations: { [pauseKey(name)]: null } } };
  await patchObject(cluster, { resource, name: nameOf(object) }, patch);
}
