// Description of a resource for the simulated API server, and the shape of field errors.
import type { JsonMap, KubeObject } from './object.ts';

export interface FieldError {
  readonly field: string;
  readonly reason:
    | 'FieldValueInvalid'
    | 'FieldValueRequired'
    | 'FieldValueNotSupported'
    | 'FieldValueForbidden'
    | 'FieldValueTooMany'
    | 'FieldValueTooLong'
    | 'FieldValueTypeInvalid'
    | 'FieldValueDuplicate';
  /** Begins with the reason, as in `Invalid value: "x": …`. */
  readonly message: string;
}

export interface Pruned {
  readonly object: JsonMap;
  /** Paths of the dropped fields, sorted. */
  readonly unknown: readonly string[];
}

/** Behaviour of a resource beyond storage. All functions take and return complete objects. */
export interface ResourceRules {
  /** Drops fields that a custom resource's schema does not have. */
  readonly prune?: (object: JsonMap) => Pruned;
  /** Sets defaults on create and on every later write, as decoding does. */
  readonly applyDefaults?: (object: KubeObject, now: number) => KubeObject;
  readonly prepareForUpdate?: (next: KubeObject, old: KubeObject, now: number) => KubeObject;
  /** Status of a new object; absent: no status. */
  readonly initialStatus?: (created: KubeObject) => JsonMap;
  /** Returns no errors if the object is valid; `old` is absent on create. */
  readonly validate?: (next: KubeObject, old: KubeObject | undefined) => readonly FieldError[];
}

export interface ResourceType {
  /** Empty for the core group. */
  readonly group: string;
  /** Preferred version first; all versions serve the same stored objects. */
  readonly versions: readonly string[];
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly shortNames?: readonly string[];
  readonly subresources: readonly ('status' | 'eviction')[];
  /** metadata.generation is 1 on create and increases with each change of spec. */
  readonly hasGeneration: boolean;
  /** Of a CustomResourceDefinition: each item of a list has kind and apiVersion. */
  readonly isCustom?: boolean;
  /** A status write may change labels, annotations and finalizers; true only for pods. */
  readonly statusKeepsMetadata?: boolean;
  /** A scheduled object is removed only by a second delete with grace period 0. */
  readonly deletesGracefully?: boolean;
  /** DELETE returns the object; otherwise a Status. */
  readonly returnsDeleted?: boolean;
  /** Versions for which PUT without a resourceVersion is refused. */
  readonly conditionalUpdateOnly?: readonly string[];
  /** Field selectors besides metadata.name and metadata.namespace. */
  readonly selectableFields?: readonly string[];
  readonly rules?: ResourceRules;
}
