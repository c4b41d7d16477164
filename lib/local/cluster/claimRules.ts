// API server behaviour for ResourceClaims: defaults of requests, immutable spec and allocation.
import { invalidValue } from './names.ts';
import { at, isMap, type JsonMap, listAt, mapAt, same } from './object.ts';
import type { FieldError, ResourceRules } from './resourceType.ts';

export const claimRules: ResourceRules = {
  applyDefaults(claim) {
    return { ...claim, spec: claimSpecWithDefaults(mapAt(claim, 'spec') ?? {}) };
  },
  initialStatus: () => ({}),
  validate(claim, old) {
    if (!old) return [];
    const errors: FieldError[] = [];
    if (!same(claim.spec, old.spec)) errors.push(invalidValue('spec', null, 'field is immutable'));
    const before = at(old, 'status', 'allocation');
    const after = at(claim, 'status', 'allocation');
    if (before && after && !same(before, after)) {
      errors.push(invalidValue('status.allocation', null, 'field cannot be modified once set'));
    }
    return errors;
  },
};

/** Defaults of resource.k8s.io/v1: exactly one device per request, `Equal` tolerations. */
export function claimSpecWithDefaults(spec: JsonMap): JsonMap {
  const devices = mapAt(spec, 'devices');
  if (!devices) return spec;
  const requests = listAt(devices, 'requests').map((request) => {
    if (!isMap(request)) return request;
    const { exactly, firstAvailable } = request;
    return {
      ...request,
      ...(isMap(exactly) && { exactly: withRequestDefaults(exactly) }),
      ...(Array.isArray(firstAvailable) && {
        firstAvailable: firstAvailable.map((choice) => (isMap(choice) ? withRequestDefaults(choice) : choice)),
      }),
    };
  });
  return { ...spec, devices: { ...devices, ...(requests.length > 0 && { requests }) } };
}

function withRequestDefaults(request: JsonMap): JsonMap {
  const allocationMode = request.allocationMode ?? 'ExactCount';
  const tolerations = request.tolerations;
  return {
    ...request,
    allocationMode,
    ...(allocationMode === 'ExactCount' && { count: request.count ?? 1 }),
    ...(Array.isArray(tolerations) && {
      tolerations: tolerations.map((each) => (isMap(each) ? { operator: 'Equal', ...each } : each)),
    }),
  };
}
