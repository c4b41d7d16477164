// Projects a ResourceClaim of resource.k8s.io v1, v1beta2 or v1beta1; the status is the same in all versions.
import type { AllocatedDevice, ConsumerReference, ControllerReference, ResourceClaim } from '../../model/objects.ts';
import {
  annotationsOf,
  controllerOf,
  type Json,
  listOf,
  metaOf,
  noIdentity,
  objectOf,
  type Problems,
  type Projected,
  present,
  type Reader,
  readerOf,
  textOf,
  unreadable,
} from './read.ts';
import { readToleration } from './readTaint.ts';

interface Optional {
  controller: ControllerReference;
  allocation: NonNullable<ResourceClaim['allocation']>;
  specReservedFor: ConsumerReference;
  annotations: Readonly<Record<string, string>>;
}

export function projectClaim(value: unknown): Projected<ResourceClaim> {
  const object = objectOf(value);
  const meta = metaOf(object);
  if (!meta || meta.namespace === '') return unreadable('ResourceClaim', value, { problems: noIdentity });
  const problems: Problems = [];
  const whole = readerOf(object, problems);
  const [spec, status] = [whole.object('spec'), whole.object('status')];
  const consumer = spec?.object('reservedFor');
  const allocation = status?.object('allocation');
  const optional = present<Optional>({
    controller: controllerOf(object),
    allocation: allocation && allocationOf(allocation, classesOf(object)),
    specReservedFor: consumer && consumerOf(consumer),
    annotations: annotationsOf(object),
  });
  const reservedFor = status?.list('reservedFor').map(consumerOf) ?? [];
  if (problems.length > 0) {
    const harmless: ResourceClaim = { kind: 'ResourceClaim', ...meta, reservedFor: [] };
    return unreadable('ResourceClaim', value, { problems, harmless });
  }
  return { kind: 'Projected', object: { kind: 'ResourceClaim', ...meta, ...optional, reservedFor } };
}

/**
 * DeviceClass per request, by `name` or `name/subrequest` as in results; v1beta1 has no `exactly`. No eviction depends on it, so unreadable
 * entries are left out.
 */
function classesOf({ spec }: Json): ReadonlyMap<string, string> {
  const requests = listOf(objectOf(objectOf(spec).devices).requests);
  const named = requests.flatMap((request) => [
    { name: textOf(request.name), of: request.exactly ?? request },
    ...listOf(request.firstAvailable).map((one) => ({ name: `${textOf(request.name)}/${textOf(one.name)}`, of: one })),
  ]);
  return new Map(
    named.flatMap(({ name = '', of }) => {
      const deviceClassName = textOf(objectOf(of).deviceClassName);
      return deviceClassName ? [[name, deviceClassName] as const] : [];
    }),
  );
}

function allocationOf(
  allocation: Reader,
  classes: ReadonlyMap<string, string>,
): NonNullable<ResourceClaim['allocation']> {
  const results = allocation.object('devices')?.list('results') ?? [];
  const devices = results.map((result) => deviceOf(result, classes));
  return allocation.members.reservedForAnyPod === true ? { devices, reservedForAnyPod: true } : { devices };
}

function deviceOf(result: Reader, classes: ReadonlyMap<string, string>): AllocatedDevice {
  return {
    request: result.text('request'),
    driver: result.text('driver'),
    pool: result.text('pool'),
    device: result.text('device'),
    ...present<Pick<Required<AllocatedDevice>, 'deviceClassName' | 'adminAccess' | 'shareID' | 'tolerations'>>({
      deviceClassName: classes.get(result.text('request')),
      adminAccess: result.members.adminAccess === true ? true : undefined,
      shareID: result.optionalText('shareID'),
      tolerations: result.members.tolerations ? result.list('tolerations').map(readToleration) : undefined,
    }),
  };
}

function consumerOf(entry: Reader): ConsumerReference {
  return {
    resource: entry.text('resource'),
    name: entry.text('name'),
    uid: entry.optionalText('uid') ?? '',
    ...present<{ apiGroup: string }>({ apiGroup: entry.optionalText('apiGroup') || undefined }),
  };
}
