// Compares a CustomResourceDefinition of a cluster with that of this release: fields, allowed values and validation rules.
import { objectOf, textOf } from '../adapters/kubernetes/read.ts';

type Body = Readonly<Record<string, unknown>>;

export interface Definition {
  readonly name: string;
  /** `v1alpha1 .spec.evictionsPerSecond`, `v1alpha1 .spec.effect=None`, `v1alpha1 .spec rule <expression>`. */
  readonly parts: ReadonlySet<string>;
  /** status.storedVersions. */
  readonly storedVersions: readonly string[];
  readonly versions: readonly string[];
  /** Whether the condition Established is True, so that the API server serves the kind. */
  readonly isEstablished: boolean;
}

/** Reads a CRD from deploy/chart/crds or from the API server. */
export function readDefinition(body: Body): Definition {
  const versions = listOf(objectOf(body.spec).versions);
  const status = objectOf(body.status);
  const established = listOf(status.conditions).find(({ type }) => type === 'Established');
  return {
    name: textOf(objectOf(body.metadata).name) ?? '',
    parts: new Set(versions.flatMap((one) => partsOf(objectOf(objectOf(one.schema).openAPIV3Schema), nameOf(one)))),
    versions: versions.map(nameOf),
    storedVersions: Array.isArray(status.storedVersions) ? status.storedVersions.map(String) : [],
    isEstablished: established?.status === 'True',
  };
}

export interface Difference {
  /** Parts that only this release has, shortest first; without the parts inside a missing field. */
  readonly lacks: readonly string[];
  /** Parts that only the cluster has. */
  readonly adds: readonly string[];
  /** Stored versions that this release does not have. */
  readonly unknownVersions: readonly string[];
}

export function compareDefinitions(release: Definition, cluster: Definition): Difference {
  return {
    lacks: missingIn(release.parts, cluster.parts),
    adds: missingIn(cluster.parts, release.parts),
    unknownVersions: cluster.storedVersions.filter((version) => !release.versions.includes(version)),
  };
}

function missingIn(all: ReadonlySet<string>, some: ReadonlySet<string>): readonly string[] {
  const missing = [...all].filter((part) => !some.has(part)).sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
  return missing.filter((part) => !missing.some((other) => other !== part && isInside(part, other)));
}

function isInside(part: string, field: string): boolean {
  return part.startsWith(field) && /^[.[{= ]/.test(part.slice(field.length));
}

/** Compares names only, because the API server adds defaults to the schema. */
function partsOf(schema: Body, path: string): readonly string[] {
  const here = path.includes(' ') ? path : `${path} `;
  const ofFields = Object.entries(objectOf(schema.properties)).flatMap(([name, inner]) => {
    const field = `${here}.${name}`;
    return [field, ...partsOf(objectOf(inner), field)];
  });
  const ofItems = schema.items === undefined ? [] : partsOf(objectOf(schema.items), `${here}[]`);
  const ofValues =
    schema.additionalProperties === undefined ? [] : partsOf(objectOf(schema.additionalProperties), `${here}{}`);
  const allowed = Array.isArray(schema.enum) ? schema.enum.map((value) => `${here}=${value}`) : [];
  const rules = listOf(schema['x-kubernetes-validations']).map(({ rule }) => `${here} rule ${rule}`);
  return [...ofFields, ...ofItems, ...ofValues, ...allowed, ...rules];
}

function nameOf(version: Body): string {
  return textOf(version.name) ?? '';
}

function listOf(value: unknown): readonly Body[] {
  return Array.isArray(value) ? value.map(objectOf) : [];
}
