// The port to what the API server holds at this moment, and to answers of it that the pods of one process share.
import type { Incarnation, ResourceVersion } from './model/identity.ts';
import type { ObjectKind, ObjectOf } from './model/projection.ts';
import type { RuleCondition } from './model/status.ts';
import type { EvictionStop } from './model/stop.ts';
import type { Instant, Milliseconds } from './model/time.ts';
import type { ApiFailure } from './ports.ts';

/** `NotServed`: this API server has no such kind. */
export type NotRead = { readonly kind: 'NotServed'; readonly why: string } | ApiFailure;

/** An object as the API server has it, or why there is none. `resourceVersion`: of the list that has it, or lacks it. */
export type Read<K extends ObjectKind> = Promise<
  | {
      readonly kind: 'Found';
      readonly object: ObjectOf<K>;
      readonly conditions: readonly RuleCondition[];
      /** status.rate, which only a PacedTaintRule has. */
      readonly shownRate?: string;
      readonly resourceVersion: ResourceVersion;
      /** Why it cannot be read: `object` is then the same with nothing in it that could evict a pod. */
      readonly problem?: string;
    }
  | { readonly kind: 'NotFound'; readonly resourceVersion: ResourceVersion }
  | NotRead
>;

/** Of objects that cannot be read, the same with nothing in them that could evict a pod. */
export type ReadAll<K extends ObjectKind> = Promise<
  | { readonly kind: 'Listed'; readonly objects: readonly ObjectOf<K>[]; readonly resourceVersion: ResourceVersion }
  | NotRead
>;

/** The one way to read objects from the API server: never from a cache of its own, and never by more than pages. */
export interface LiveCluster {
  /** Tells this cluster, in this life of its etcd, from every other one of the same name. */
  incarnation(): Promise<{ readonly kind: 'Found'; readonly incarnation: Incarnation } | NotRead>;
  /** `key`: `namespace/name`, or the name of what is in no namespace. */
  read<K extends ObjectKind>(kind: K, key: string): Read<K>;
  policies(): ReadAll<'EvictionPolicy'>;
  /** `RetryLater` where there are more than 10,000. */
  pacedRules(): ReadAll<'PacedTaintRule'>;
  stops(): Promise<{ readonly kind: 'Listed'; readonly stops: readonly EvictionStop[] } | NotRead>;
  /** All generations of one pool. `nodeName`: of a pod that uses it, which may spare the driver's other slices. */
  slices(of: PoolOfNode): ReadAll<'ResourceSlice'>;
}

export interface PoolOfNode {
  readonly driver: string;
  readonly pool: string;
  readonly nodeName?: string | undefined;
}

/** By kind: the version of a list, at which every object of the kind was as a later list shows it that has no newer version of it. */
export type ListVersions = ReadonlyMap<ObjectKind, ResourceVersion>;

/** Answers that several pods of one process may use while they are young. */
export interface SharedReads {
  /** Greater than any before it in this process: what comes first is told without a clock. */
  mark(): number;
  /** The version of a list that the API server has answered, for the answers that are asked for from now on. */
  note(kind: ObjectKind, resourceVersion: ResourceVersion): void;
  /**
   * The last answer, if it was asked for at most `maxAge` ago, or at `since` or later, and after the mark `after`; else `ask`, once for all
   * that wait. With `since` a step uses what it asked for itself, however long the API server takes to answer.
   */
  read<T>(
    key: string,
    by: { readonly maxAge: Milliseconds; readonly since?: Instant; readonly after?: number },
    ask: () => Promise<T>,
  ): Promise<SharedRead<T>>;
}

export interface SharedRead<T> {
  readonly value: T;
  /** When it was asked for. */
  readonly readAt: Instant;
  /** Marks from before it was asked for, and after it was answered. */
  readonly begun: number;
  readonly ended: number;
  /** Of the last list of each kind that had been answered (`note`) before this was asked for. */
  readonly versions: ListVersions;
}
