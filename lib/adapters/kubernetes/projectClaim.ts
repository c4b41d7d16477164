// ResourceClaim of resource.k8s.io v1, v1beta2 or v1beta1 as Sluice keeps it; the status is the same in all of them.
import type {
  AllocatedDevice,
  ConsumerReference,
  ControllerReference,
  DeviceToleration,
  ResourceClaim,
} from '../../model/objects.ts';
import {
  annotationsOf,
  controllerOf,
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
  controller: ControllerReference;
  allocation: NonNullable<ResourceClaim['allocation']>;
  specReservedFor: ConsumerReference;
  annotations: Readonly<Record<string, string>>;
}

export function projectClaim(value: unknown): Projected<ResourceClaim> {
  const object = objectOf(value);
  const meta = metaOf(object);
  if (!meta || meta.namespace === '') return unreadable('ResourceClaim', object);
  const [spec, status] = [objectOf(object.spec), objectOf(object.status)];
  const optional = present<Optional>({
    controller: controllerOf(object),
    allocation:
      status.allocation === undefined || status.allocation === null
        ? undefined
        : allocationOf(objectOf(status.allocation)),
    specReservedFor: spec.reservedFor === undefined ? undefined : consumerOf(objectOf(spec.reservedFor)),
    annotations: annotationsOf(object),
  });
  const reservedFor = listOf(status.reservedFor).map(consumerOf);
  return { kind: 'Projected', object: { kind: 'ResourceClaim', ...meta, ...optional, reservedFor } };
}

function allocationOf(allocation: Json): NonNullable<ResourceClaim['allocation']> {
  const devices = listOf(objectOf(allocation.devices).results).map(deviceOf);
  return allocation.reservedForAnyPod === true ? { devices, reservedForAnyPod: true } : { devices };
}

function deviceOf(result: Json): AllocatedDevice {
  return {
    request: textOf(result.request) ?? '',
    driver: textOf(result.driver) ?? '',
    pool: textOf(result.pool) ?? '',
    device: textOf(result.device) ?? '',
    ...present<{ adminAccess: boolean; shareID: string; tolerations: readonly DeviceToleration[] }>({
      adminAccess: result.adminAccess === true ? true : undefined,
      shareID: textOf(result.shareID),
      tolerations: result.tolerations === undefined ? undefined : listOf(result.tolerations).map(tolerationOf),
    }),
  };
}

function tolerationOf(toleration: Json): DeviceToleration {
  return present<Required<DeviceToleration>>({
    key: textOf(toleration.key),
    operator: textOf(toleration.operator),
    value: textOf(toleration.value),
    effect: textOf(toleration.effect),
    tolerationSeconds: secondsOf(toleration.tolerationSeconds),
  });
}

/** Present but unreadable seconds must not become "for ever" nor "at once": the longest finite wait keeps the pod. */
function secondsOf(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  const seconds = numberOf(value) ?? Number.MAX_SAFE_INTEGER;
  return Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, Math.trunc(seconds)));
}

function consumerOf(entry: Json): ConsumerReference {
  return {
    resource: textOf(entry.resource) ?? '',
    name: textOf(entry.name) ?? '',
    uid: textOf(entry.uid) ?? '',
    ...present<{ apiGroup: string }>({ apiGroup: textOf(entry.apiGroup) || undefined }),
  };
}
