// Which objects of the kinds that Sluice watches have a row: the others say nothing of any pod.
import type { ObjectProjection } from '../model/projection.ts';

/** Pods that refer to no claim cannot be affected by a device's taint, rules that Sluice wrote itself are no input, and namespaces say nothing without a label. */
export function isRelevant(object: ObjectProjection): boolean {
  if (object.kind === 'DeviceTaintRule') return object.projectedFrom === undefined;
  if (object.kind === 'Namespace') return object.labels !== undefined;
  return object.kind !== 'Pod' || object.resourceClaims.length > 0 || object.extendedResourceClaimName !== undefined;
}
