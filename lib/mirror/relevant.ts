// Decides which of the watched objects get a row; the others cannot affect any pod.
import type { ObjectProjection } from '../model/projection.ts';

/** Without a row: pods without claims, DeviceTaintRules that Sluice itself projected, and namespaces without labels and pauses. */
export function isRelevant(object: ObjectProjection): boolean {
  if (object.kind === 'DeviceTaintRule') return object.projectedFrom === undefined;
  if (object.kind === 'Namespace') return (object.labels ?? object.annotations) !== undefined;
  return object.kind !== 'Pod' || object.resourceClaims.length > 0 || object.extendedResourceClaimName !== undefined;
}
