// Projects a Pod (v1).
import type { ControllerReference, Pod } from '../../model/objects.ts';
import type { Instant } from '../../model/time.ts';
import { markInTree } from './inTreeTrace.ts';
import {
  controllerOf,
  instantOf,
  labelsOf,
  metaOf,
  noIdentity,
  objectOf,
  type Problems,
  type Projected,
  present,
  type Reader,
  readerOf,
  unreadable,
} from './read.ts';

interface Optional {
  creationTimestamp: Instant;
  deletionTimestamp: Instant;
  nodeName: string;
  priority: number;
  terminationGracePeriodSeconds: number;
  controller: ControllerReference;
  podGroupName: string;
  workloadRef: NonNullable<Pod['workloadRef']>;
  extendedResourceClaimName: string;
  markedBy: 'InTree';
  labels: Readonly<Record<string, string>>;
}

export function projectPod(value: unknown): Projected<Pod> {
  const object = objectOf(value);
  const meta = metaOf(object);
  if (!meta || meta.namespace === '') return unreadable('Pod', value, { problems: noIdentity });
  const problems: Problems = [];
  const whole = readerOf(object, problems);
  const [spec, status] = [whole.object('spec'), whole.object('status')];
  const { creationTimestamp, deletionTimestamp } = objectOf(object.metadata);
  const optional = present<Optional>({
    creationTimestamp: instantOf(creationTimestamp),
    deletionTimestamp: instantOf(deletionTimestamp),
    nodeName: spec?.optionalText('nodeName') || undefined,
    priority: spec?.optionalNumber('priority'),
    terminationGracePeriodSeconds: spec?.optionalNumber('terminationGracePeriodSeconds'),
    controller: controllerOf(object),
    podGroupName: spec?.object('schedulingGroup')?.optionalText('podGroupName'),
    markedBy: markInTree(object) ? 'InTree' : undefined,
    workloadRef: workloadOf(spec?.object('workloadRef')),
    labels: labelsOf(object),
    extendedResourceClaimName: status?.object('extendedResourceClaimStatus')?.optionalText('resourceClaimName'),
  });
  const pod: Pod = {
    kind: 'Pod',
    ...meta,
    ...optional,
    resourceClaims: spec?.list('resourceClaims').map(referenceOf) ?? [],
    resourceClaimStatuses: status?.list('resourceClaimStatuses').map(statusOf) ?? [],
  };
  if (problems.length === 0) return { kind: 'Projected', object: pod };
  const harmless: Pod = { kind: 'Pod', ...meta, resourceClaims: [], resourceClaimStatuses: [] };
  return unreadable('Pod', value, { problems, harmless });
}

function workloadOf(ref: Reader | undefined): Pod['workloadRef'] {
  if (!ref) return undefined;
  const replica = ref.optionalText('podGroupReplicaKey');
  return {
    name: ref.text('name'),
    podGroup: ref.text('podGroup'),
    ...present<{ podGroupReplicaKey: string }>({ podGroupReplicaKey: replica }),
  };
}

function referenceOf(entry: Reader): Pod['resourceClaims'][number] {
  return {
    name: entry.text('name'),
    ...present<{ resourceClaimName: string; resourceClaimTemplateName: string }>({
      resourceClaimName: entry.optionalText('resourceClaimName'),
      resourceClaimTemplateName: entry.optionalText('resourceClaimTemplateName'),
    }),
  };
}

function statusOf(entry: Reader): Pod['resourceClaimStatuses'][number] {
  return {
    name: entry.text('name'),
    ...present<{ resourceClaimName: string }>({ resourceClaimName: entry.optionalText('resourceClaimName') }),
  };
}
