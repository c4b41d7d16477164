// What the simulated API server has to know about one kind of resource, and what is wrong with a field of an object.
import type { JsonMap, KubeObject } from './object.ts';

export interface FieldError {
  readonly field: string;
  readonly reason:
    | 'FieldValueInvalid'
    | 'FieldValueRequired'
    | 'FieldValueNotSupported'
    | 'FieldValueForbidden'
    | 'FieldValueTooMany';
  /** Begins with the reason in words, as in `Invalid value: "x": …`. */
  readonly message: string;
}

/** What a resource does beyond storing what it is given. Every function gets and returns whole objects. */
export interface ResourceRules {
  /** Fills in defaults; runs on create and on every later write, like decoding does. */
  readonly applyDefaults?: (object: KubeObject, now: number) => KubeObject;
  readonly prepareForUpdate?: (next: KubeObject, old: KubeObject, now: number) => KubeObject;
  /** Status of a new object; without this function there is none. */
  readonly initialStatus?: (created: KubeObject) => JsonMap;
  /** Empty where the object may be stored; `old` is absent on create. */
  readonly validate?: (next: KubeObject, old: KubeObject | undefined) => readonly FieldError[];
}

export interface ResourceType {
  /** Empty for the core group. */
  readonly group: string;
  /** Preferred first; all serve the same stored objects. */
  readonly versions: readonly string[];
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly shortNames?: readonly string[];
  readonly subresources: readonly ('status' | 'eviction')[];
  /** metadata.generation: 1 on create, one more with each change of spec. */
  readonly hasGeneration: boolean;
  /** A status write may change labels, annotations and finalizers; true for pods alone among ours. */
  readonly statusKeepsMetadata?: boolean;
  /** Deletion of a scheduled object waits for a second delete with grace period 0. */
  readonly deletesGracefully?: boolean;
  /** DELETE answers with the object; otherwise with a Status that names it. */
  readonly returnsDeleted?: boolean;
  /** Versions for which PUT without a resourceVersion is refused. */
  readonly conditionalUpdateOnly?: readonly string[];
  /** Besides metadata.name and metadata.namespace. */
  readonly selectableFields?: readonly string[];
  readonly rules?: ResourceRules;
}
