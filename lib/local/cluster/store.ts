// Stores all objects of the simulated cluster with a global version and a bounded history, like etcd and the watch cache.
import type { KubeObject } from './object.ts';
import type { ResourceType } from './resources.ts';

export interface StoreChange {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly resource: ResourceType;
  /** The object after the change; for DELETED its last state with the version of the deletion. */
  readonly object: KubeObject;
  readonly previous?: KubeObject;
  readonly version: number;
}

export interface Store {
  /** Version of the latest change; the resourceVersion of lists. */
  version(): number;
  get(resource: ResourceType, key: string): KubeObject | undefined;
  /** In key order; without `namespace`, of all namespaces. */
  list(resource: ResourceType, namespace?: string): readonly KubeObject[];
  /** The list at a version; undefined if the history does not reach back that far. */
  listAt(resource: ResourceType, version: number, namespace?: string): readonly KubeObject[] | undefined;
  /** Stores the object with the next version and returns it with that resourceVersion. */
  put(resource: ResourceType, object: KubeObject): KubeObject;
  remove(resource: ResourceType, object: KubeObject): KubeObject;
  /** All later changes in order; undefined if the history does not reach back that far. */
  changesSince(resource: ResourceType, version: number): readonly StoreChange[] | undefined;
  /** Listeners run synchronously, in the order of changes. */
  subscribe(listener: (change: StoreChange) => void): () => void;
  /** Drops the history of all resources: older versions are expired from now on. */
  compact(): void;
  /**
   * A new store with the objects and version of that time, like etcd restored from a backup; within the history. The new store has
   * no listeners.
   */
  restored(version: number): Store;
}

/** The same objects, and writes that change nothing: the server-side dry run of one request. */
export function dryRunOf(store: Store): Store {
  return { ...store, put: (_, object) => object, remove: (_, object) => object };
}

/** `namespace/name`, or the name of a cluster-scoped object. */
export function keyOf(object: KubeObject): string {
  const { namespace, name } = object.metadata;
  return namespace ? `${namespace}/${name}` : name;
}

interface Shelf {
  readonly objects: Map<string, KubeObject>;
  /** Sorted keys; rebuilt by the next list after an object was created or removed. */
  sortedKeys: readonly string[] | undefined;
  history: StoreChange[];
  /** Version of the latest change that is no longer in the history. */
  expiredVersion: number;
}

export interface StoreOptions {
  /** Changes kept per resource. */
  readonly historyLimit?: number;
  /** Initial objects and version, without history. */
  readonly copy?: {
    readonly version: number;
    readonly objects: ReadonlyMap<ResourceType, readonly KubeObject[]>;
  };
}

export function createStore(options: StoreOptions = {}): Store {
  const historyLimit = options.historyLimit ?? 100_000;
  const shelves = new Map<ResourceType, Shelf>();
  const listeners = new Set<(change: StoreChange) => void>();
  let version = options.copy?.version ?? 1;
  let compactedVersion = options.copy?.version ?? 0;
  for (const [resource, objects] of options.copy?.objects ?? [])
    for (const object of objects) shelfOf(resource).objects.set(keyOf(object), object);

  function shelfOf(resource: ResourceType): Shelf {
    let shelf = shelves.get(resource);
    if (!shelf) {
      shelf = { objects: new Map(), sortedKeys: undefined, history: [], expiredVersion: 0 };
      shelves.set(resource, shelf);
    }
    return shelf;
  }

  function isExpired(shelf: Shelf, wanted: number): boolean {
    return wanted < Math.max(shelf.expiredVersion, compactedVersion);
  }

  function record(shelf: Shelf, change: StoreChange): KubeObject {
    shelf.history.push(change);
    if (shelf.history.length > historyLimit * 1.25) {
      const dropped = shelf.history.splice(0, shelf.history.length - historyLimit);
      shelf.expiredVersion = dropped.at(-1)?.version ?? shelf.expiredVersion;
    }
    for (const listener of listeners) listener(change);
    return change.object;
  }

  function stamped(object: KubeObject): KubeObject {
    version += 1;
    return { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } };
  }

  return {
    version: () => version,
    get: (resource, key) => shelfOf(resource).objects.get(key),
    list: (resource, namespace) => select(sorted(shelfOf(resource)), namespace),
    listAt(resource, at, namespace) {
      const shelf = shelfOf(resource);
      if (isExpired(shelf, at)) return undefined;
      return select(rewound(shelf, at), namespace);
    },
    put(resource, object) {
      const shelf = shelfOf(resource);
      const key = keyOf(object);
      const previous = shelf.objects.get(key);
      const stored = stamped(object);
      if (!previous) shelf.sortedKeys = undefined;
      shelf.objects.set(key, stored);
      const type = previous ? 'MODIFIED' : 'ADDED';
      return record(shelf, { type, resource, object: stored, version, ...(previous && { previous }) });
    },
    remove(resource, object) {
      const shelf = shelfOf(resource);
      const key = keyOf(object);
      const previous = shelf.objects.get(key) ?? object;
      const last = stamped(object);
      shelf.sortedKeys = undefined;
      shelf.objects.delete(key);
      return record(shelf, { type: 'DELETED', resource, object: last, previous, version });
    },
    changesSince(resource, since) {
      const shelf = shelfOf(resource);
      if (isExpired(shelf, since)) return undefined;
      return shelf.history.slice(firstAfter(shelf.history, since));
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    compact() {
      compactedVersion = version;
      for (const shelf of shelves.values()) shelf.history = [];
    },
    restored(wanted) {
      const oldest = Math.max(compactedVersion, ...[...shelves.values()].map(({ expiredVersion }) => expiredVersion));
      const then = Math.min(version, Math.max(wanted, oldest));
      const objects = new Map([...shelves].map(([resource, shelf]) => [resource, rewound(shelf, then)]));
      return createStore({ ...options, copy: { version: then, objects } });
    },
  };
}

function sorted(shelf: Shelf): readonly KubeObject[] {
  shelf.sortedKeys ??= [...shelf.objects.keys()].sort();
  return shelf.sortedKeys.flatMap((key) => shelf.objects.get(key) ?? []);
}

/** Undoes the changes after `version`, newest first. */
function rewound(shelf: Shelf, version: number): readonly KubeObject[] {
  const changes = shelf.history.slice(firstAfter(shelf.history, version));
  if (changes.length === 0) return sorted(shelf);
  const objects = new Map(shelf.objects);
  for (const change of changes.reverse()) {
    if (change.type === 'ADDED') objects.delete(keyOf(change.object));
    else if (change.previous) objects.set(keyOf(change.previous), change.previous);
  }
  return [...objects.keys()].sort().flatMap((key) => objects.get(key) ?? []);
}

function firstAfter(history: readonly StoreChange[], version: number): number {
  let [low, high] = [0, history.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((history[middle]?.version ?? 0) > version) high = middle;
    else low = middle + 1;
  }
  return low;
}

function select(objects: readonly KubeObject[], namespace: string | undefined): readonly KubeObject[] {
  return namespace ? objects.filter((object) => object.metadata.namespace === namespace) : objects;
}
