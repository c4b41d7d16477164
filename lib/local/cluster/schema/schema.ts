// The part of OpenAPI v3 that the CustomResourceDefinitions of Sluice use.

/** Keywords that the simulated API server knows; a definition with another one fails a test. */
export const keywords = [
  'description',
  'type',
  'properties',
  'additionalProperties',
  'items',
  'required',
  'enum',
  'format',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'maxProperties',
  'minimum',
  'maximum',
  'anyOf',
  'x-kubernetes-int-or-string',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-validations',
] as const;

export interface Rule {
  readonly rule: string;
  readonly message: string;
  /** Of two messages this one is shown. */
  readonly messageExpression?: string;
}

export interface Schema {
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly enum?: readonly string[];
  readonly format?: 'date-time' | 'int32' | 'int64';
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'map' | 'set';
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-validations'?: readonly Rule[];
}

/** One value of an object, with its schema and the value that it replaces. */
export interface Place {
  readonly schema: Schema;
  /** `spec.taints[0].key`; empty for the object itself. */
  readonly path: string;
  readonly value: unknown;
  /** Undefined where nothing was stored. An unchanged value is not validated again. */
  readonly old: unknown;
}
