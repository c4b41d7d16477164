// Objects of a cluster by kind and key, with a version per kind that increases with each change.
import type { ObjectKind, ObjectProjection } from '../../model/projection.ts';
import { manifestKey } from '../../watcher/forward.ts';

export interface Store {
  /** By `namespace/name`, or by name for cluster-scoped kinds. */
  readonly of: (kind: ObjectKind) => ReadonlyMap<string, ObjectProjection>;
  readonly put: (object: ObjectProjection) => void;
  readonly remove: (kind: ObjectKind, object: ObjectProjection) => void;
  readonly removeKey: (kind: ObjectKind, key: string) => void;
  /** Signals a change of data kept outside this store. */
  readonly touch: () => void;
  readonly versionOf: (kind: ObjectKind) => number;
  readonly version: () => number;
  readonly onChange: (heard: () => void) => void;
}

export function createStore(): Store {
  const objects = new Map<ObjectKind, Map<string, ObjectProjection>>();
  const versions = new Map<ObjectKind, number>();
  const heard: (() => void)[] = [];
  let version = 0;
  const of = (kind: ObjectKind) => {
    const found = objects.get(kind) ?? new Map<string, ObjectProjection>();
    objects.set(kind, found);
    return found;
  };
  const touch = () => {
    version += 1;
    for (const one of heard) one();
  };
  const change = (kind: ObjectKind) => {
    versions.set(kind, (versions.get(kind) ?? 0) + 1);
    touch();
  };
  const removeKey = (kind: ObjectKind, key: string) => {
    if (of(kind).delete(key)) change(kind);
  };
  return {
    of,
    put(object) {
      of(object.kind).set(manifestKey(object), object);
      change(object.kind);
    },
    remove: (kind, object) => removeKey(kind, manifestKey(object)),
    removeKey,
    touch,
    versionOf: (kind) => versions.get(kind) ?? 0,
    version: () => version,
    onChange: (one) => void heard.push(one),
  };
}
