// Pod v1 as Sluice keeps it.
import type { ControllerReference, Pod } from '../../model/objects.ts';
import type { Instant } from '../../model/time.ts';
import {
  controllerOf,
  instantOf,
  type Json,
  listOf,
  metaOf,
  numberOf,
  objectOf,
  type Projected,
  present,
  textOf,
  unreadable,
} from './read.ts';

interface Optional {
  creationTimestamp: Instant;
  deletionTimestamp: Instant;
  nodeName: string;
  priority: number;
  controller: ControllerReference;
  podGroupName: string;
  extendedResourceClaimName: string;
}

export function projectPod(value: unknown): Projected<Pod> {
  const object = objectOf(value);
  const meta = metaOf(object);
  if (!meta || meta.namespace === '') return unreadable('Pod', object);
  const [metadata, spec, status] = [objectOf(object.metadata), objectOf(object.spec), objectOf(object.status)];
  const optional = present<Optional>({
    creationTimestamp: instantOf(metadata.creationTimestamp),
    deletionTimestamp: instantOf(metadata.deletionTimestamp),
    nodeName: textOf(spec.nodeName) || undefined,
    priority: numberOf(spec.priority),
    controller: controllerOf(object),
    podGroupName: textOf(objectOf(spec.schedulingGroup).podGroupName),
    extendedResourceClaimName: textOf(objectOf(status.extendedResourceClaimStatus).resourceClaimName),
  });
  const resourceClaims = listOf(spec.resourceClaims).map(referenceOf);
  const resourceClaimStatuses = listOf(status.resourceClaimStatuses).map((entry) => ({
    name: textOf(entry.name) ?? '',
    ...present<{ resourceClaimName: string }>({ resourceClaimName: textOf(entry.resourceClaimName) }),
  }));
  return { kind: 'Projected', object: { kind: 'Pod', ...meta, ...optional, resourceClaims, resourceClaimStatuses } };
}

function referenceOf(entry: Json): Pod['resourceClaims'][number] {
  return {
    name: textOf(entry.name) ?? '',
    ...present<{ resourceClaimName: string; resourceClaimTemplateName: string }>({
      resourceClaimName: textOf(entry.resourceClaimName),
      resourceClaimTemplateName: textOf(entry.resourceClaimTemplateName),
    }),
  };
}
