// A simulated cluster, its watchers, a queue that loses, duplicates and reorders messages, and the real ingest stage.
import { parseChange } from '../../lib/adapters/sqs/changes.ts';
import { formatMessage } from '../../lib/adapters/sqs/wire.ts';
import type { Change } from '../../lib/model/change.ts';
import { clusterIdOf, clusterNameOf } from '../../lib/model/identity.ts';
import type { ObjectKind, ObjectProjection } from '../../lib/model/projection.ts';
import {
  beginList,
  createForwardMemory,
  endList,
  type ForwardMemory,
  forwardDeleted,
  forwardRequested,
  forwardShown,
  manifestFrom,
  manifestKey,
} from '../../lib/watcher/forward.ts';
import { kindSources } from '../../lib/watcher/kinds.ts';
import { liveIncarnation } from '../support/fakes/liveCluster.ts';
import { differencesOf } from '../support/mirrorDifferences.ts';
import { createWorld, type World } from '../support/world.ts';

export const start = 1_800_000_000_000;
export const kinds: readonly ObjectKind[] = kindSources.map(({ kind }) => kind);

type Happened = { readonly type: 'Put' | 'Delete'; readonly object: ObjectProjection; readonly version: number };

/** The content of an API server: its objects, one version counter, and every event since its start. */
export interface Cluster {
  version: number;
  readonly objects: Map<string, ObjectProjection>;
  readonly events: Happened[];
  put<T extends ObjectProjection>(object: T): T;
  remove(object: ObjectProjection): void;
}

const idOf = (object: ObjectProjection) => `${object.kind}\n${manifestKey(object)}`;

export function createCluster(version = 1000): Cluster {
  const objects = new Map<string, ObjectProjection>();
  const events: Happened[] = [];
  return {
    version,
    objects,
    events,
    put(object) {
      const stored = { ...object, resourceVersion: String(++this.version) };
      objects.set(idOf(stored), stored);
      events.push({ type: 'Put', object: stored, version: this.version });
      return stored;
    },
    remove(object) {
      const last = objects.get(idOf(object));
      if (!last) throw new Error(`there is no ${object.kind} ${object.name}`);
      objects.delete(idOf(object));
      const ended = { ...last, resourceVersion: String(++this.version) };
      events.push({ type: 'Delete', object: ended, version: this.version });
    },
  };
}

/** One watcher process; each method returns the messages that it sends. */
export class Watcher {
  readonly #cluster: Cluster;
  readonly #memories = new Map<ObjectKind, { readonly memory: ForwardMemory; reached: number }>();

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  list(of: readonly ObjectKind[] = kinds): readonly Change[] {
    return of.flatMap((kind) => {
      const known = this.#memories.get(kind) ?? { memory: createForwardMemory(kind), reached: 0 };
      this.#memories.set(kind, known);
      beginList(known.memory);
      const mine = [...this.#cluster.objects.values()].filter((object) => object.kind === kind);
      const shown = mine.flatMap((object) => forwardShown(known.memory, { kind: 'Projected', object }).changes);
      known.reached = this.#cluster.version;
      return [...shown, ...endList(known.memory, String(known.reached))];
    });
  }

  /** The events since the last call. */
  watch(): readonly Change[] {
    return this.#cluster.events.flatMap(({ type, object, version }) => {
      const known = this.#memories.get(object.kind);
      if (!known || version <= known.reached) return [];
      known.reached = version;
      const forward = type === 'Put' ? forwardShown : forwardDeleted;
      return forward(known.memory, { kind: 'Projected', object }).changes;
    });
  }

  round(): readonly Change[] {
    return [...this.#memories.values()].flatMap(({ memory, reached }) => {
      const manifests: Change[] = [];
      for (let from = 0; from < 256; ) {
        const manifest = manifestFrom(memory, { from, resourceVersion: String(reached) });
        manifests.push(manifest);
        from = manifest.to + 1;
      }
      return manifests;
    });
  }

  answer(requested: readonly { readonly kind: ObjectKind; readonly key: string }[]): readonly Change[] {
    return requested.flatMap(({ kind, key }) => {
      const known = this.#memories.get(kind);
      if (!known) return [];
      const object = this.#cluster.objects.get(`${kind}\n${key}`);
      const shown = object && ({ kind: 'Projected', object } as const);
      const resourceVersion = String(this.#cluster.version);
      return forwardRequested(known.memory, { key, shown, resourceVersion }).changes;
    });
  }
}

export interface History {
  readonly world: World;
  readonly cluster: Cluster;
  /** The same table and queues, with a cluster of another incarnation from now on. */
  become(cluster: Cluster, incarnation: string): History;
  /** Delivers changes in the order given, in batches as a queue does. */
  deliver(changes: readonly Change[]): Promise<void>;
  heartbeat(more?: object): Promise<void>;
  /** Runs the watcher for so many minutes: heartbeats, events, answers, and a round of manifests every ten minutes. */
  live(watcher: Watcher, minutes: number): Promise<void>;
  /** Differences between the mirror and the cluster; empty when they are equal. */
  differences(): readonly string[];
}

const overTheWire = (change: Change): Change => {
  const parsed = parseChange(formatMessage({ ...change, incarnation: liveIncarnation }));
  if (parsed.kind === 'Poison') throw new Error(parsed.why);
  const { incarnation: _, ...value } = parsed.value;
  return value;
};

export function createHistory(cluster: Cluster, options: Partial<Parameters<typeof createWorld>[0]> = {}): History {
  return historyOf(createWorld({ start, ...options }), cluster);
}

function historyOf(world: World, cluster: Cluster): History {
  const id = clusterIdOf(clusterNameOf(world.cluster), world.api.live.uid);
  const ingest = (body: readonly Change[]) =>
    world.deliver({ stage: 'ingest', at: world.now(), cluster: id, body: body.map(overTheWire) });
  const history: History = {
    world,
    cluster,
    become(next, incarnation) {
      world.api.live.uid = incarnation;
      return historyOf(world, next);
    },
    async deliver(changes) {
      for (let i = 0; i < changes.length; i += 10) await ingest(changes.slice(i, i + 10));
    },
    heartbeat: (more = {}) =>
      ingest([{ type: 'Heartbeat', at: world.now(), clockOffset: 0, watched: {}, ...more }]).then(() => undefined),
    async live(watcher, minutes) {
      for (let minute = 0; minute < minutes; minute++) {
        await history.heartbeat();
        await history.deliver(watcher.watch());
        if (minute % 10 === 0) await history.deliver(watcher.round());
        await world.runUntil(world.now() + 60_000);
        await history.deliver(watcher.answer(world.requested.splice(0)));
      }
    },
    differences: () => differencesOf(world.table.rows(), [...cluster.objects.values()], id),
  };
  return history;
}

/** The order of a standard queue: at most `window` later messages overtake a message. The seed determines the order. */
export function mixed<T>(messages: readonly T[], seed: number, window = 20): readonly T[] {
  let x = seed * 7919 + 1;
  const random = () => {
    x = (Math.imul(x, 1103515245) + 12345) >>> 0;
    return x / 2 ** 32;
  };
  return messages
    .map((message, i) => ({ message, at: i + random() * window }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ message }) => message);
}
