// Fields that a rule may have: the API server would drop, or refuse, any other one; pure.
import { type Json, objectOf } from '../adapters/kubernetes/read.ts';
import { nearestOf } from '../config/nearest.ts';

/** `any`: anything below it is allowed. A list holds the shape of its items. */
export type Shape = 'any' | { readonly [field: string]: Shape } | readonly [Shape];

const any = 'any';
const taint = { key: any, value: any, effect: any, timeAdded: any } as const;

export const pacedFields: Shape = {
  deviceSelector: {
    all: any,
    driver: any,
    pool: any,
    device: any,
    deviceClassName: any,
    selectors: [{ cel: { expression: any } }],
    deviceTaints: [{ key: any, value: any, effect: any, minAge: any }],
  },
  taints: [{ ...taint, evictionsPerSecond: any, burst: any, data: any, description: any }],
  priority: any,
  pods: {
    namespaces: any,
    podSelector: { matchLabels: any, matchExpressions: [{ key: any, operator: any, values: any }] },
    maxPriority: any,
  },
  paused: any,
  expiresAt: any,
};

const nativeSelector = { driver: any, pool: any, device: any } as const;
const nativeFields: Shape = { deviceSelector: nativeSelector, taint };
/** The API removed the last two with v1beta2. */
const firstNativeFields: Shape = {
  deviceSelector: { ...nativeSelector, deviceClassName: any, selectors: [{ cel: { expression: any } }] },
  taint,
};

const metadata: Shape = Object.fromEntries(
  [
    'name',
    'generateName',
    'namespace',
    'selfLink',
    'uid',
    'resourceVersion',
    'generation',
    'creationTimestamp',
    'deletionTimestamp',
    'deletionGracePeriodSeconds',
    'labels',
    'annotations',
    'ownerReferences',
    'finalizers',
    'managedFields',
  ].map((field) => [field, any]),
);

type Path = readonly (string | number)[];

export interface UnknownField {
  readonly path: Path;
  /** The field of that place with the most similar name. */
  readonly nearest: string | undefined;
}

/** Empty for objects that are not rules. */
export function unknownFields(manifest: unknown): readonly UnknownField[] {
  const { kind, apiVersion } = objectOf(manifest);
  const native = apiVersion === 'resource.k8s.io/v1alpha3' ? firstNativeFields : nativeFields;
  const spec = kind === 'PacedTaintRule' ? pacedFields : kind === 'DeviceTaintRule' ? native : undefined;
  if (spec === undefined) return [];
  return unknownIn(manifest, { apiVersion: any, kind: any, metadata, spec, status: any }, []);
}

function unknownIn(value: unknown, shape: Shape, path: Path): readonly UnknownField[] {
  if (shape === 'any') return [];
  if (isList(shape))
    return Array.isArray(value) ? value.flatMap((one, at) => unknownIn(one, shape[0], [...path, at])) : [];
  return Object.entries(objectOf(value) as Json).flatMap(([field, inner]) => {
    const known = Object.hasOwn(shape, field) ? shape[field] : undefined;
    if (known !== undefined) return unknownIn(inner, known, [...path, field]);
    return [{ path: [...path, field], nearest: nearestOf(field, Object.keys(shape)) }];
  });
}

function isList(shape: Shape): shape is readonly [Shape] {
  return Array.isArray(shape);
}
