// Converts objects to sets of field paths, and these to the FieldsV1 trees of metadata.managedFields.

import { isSetList, listKey } from './listKeys.ts';
import { at, isMap, type JsonMap, same } from './object.ts';

/** Path elements as FieldsV1 writes them (`f:status`, `k:{"type":"Ready"}`, `v:"x"`), joined by U+0000. */
export type FieldPath = string;
export type FieldSet = ReadonlySet<FieldPath>;

const separator = '\u0000';
/** Metadata set by the server, which has no manager. */
const serverMetadata = new Set([
  'name',
  'generateName',
  'namespace',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'managedFields',
  'selfLink',
]);

/** All owned paths of an object: of its status, or of everything else. */
export function fieldsOf(object: JsonMap, subresource: string | undefined): FieldSet {
  const paths = new Set<FieldPath>();
  if (subresource === 'status') {
    collect(object.status, ['f:status'], paths);
    return paths;
  }
  const { status: _status, apiVersion: _version, kind: _kind, metadata, ...rest } = object;
  for (const [field, value] of Object.entries(rest)) collect(value, [`f:${field}`], paths);
  for (const [field, value] of Object.entries(isMap(metadata) ? metadata : {})) {
    if (!serverMetadata.has(field)) collect(value, ['f:metadata', `f:${field}`], paths);
  }
  return paths;
}

function collect(value: unknown, path: readonly string[], into: Set<FieldPath>): void {
  if (value === undefined) return;
  const field = path.at(-1)?.slice(2) ?? '';
  if (isMap(value) && Object.keys(value).length > 0) {
    for (const [name, part] of Object.entries(value)) collect(part, [...path, `f:${name}`], into);
    return;
  }
  const key = listKey(field);
  if (Array.isArray(value) && value.length > 0 && (key || isSetList(field))) {
    for (const item of value) collectItem(item, key, path, into);
    return;
  }
  into.add(path.join(separator));
}

function collectItem(item: unknown, key: string | undefined, path: readonly string[], into: Set<FieldPath>): void {
  if (!key || !isMap(item)) {
    into.add([...path, `v:${JSON.stringify(item)}`].join(separator));
    return;
  }
  const itemPath = [...path, `k:${JSON.stringify({ [key]: item[key] })}`];
  into.add(itemPath.join(separator));
  for (const [name, part] of Object.entries(item)) collect(part, [...itemPath, `f:${name}`], into);
}

/** Whether the path names an item of a list rather than a field. */
export function isItem(path: FieldPath): boolean {
  return !path.slice(path.lastIndexOf(separator) + 1).startsWith('f:');
}

export function elements(path: FieldPath): readonly string[] {
  return path.split(separator);
}

/** The value at a path; list items are found by their key. */
export function valueAt(object: unknown, path: FieldPath): unknown {
  let here = object;
  for (const element of elements(path)) here = step(here, element);
  return here;
}

function step(here: unknown, element: string): unknown {
  if (element.startsWith('f:')) return at(here, element.slice(2));
  if (!Array.isArray(here)) return undefined;
  const wanted: unknown = JSON.parse(element.slice(2));
  if (!element.startsWith('k:')) return here.find((item) => same(item, wanted));
  return here.find((item) => isKeyed(item, wanted));
}

export function isKeyed(item: unknown, key: unknown): boolean {
  return isMap(item) && isMap(key) && Object.entries(key).every(([field, value]) => same(item[field], value));
}

/** The FieldsV1 tree of a set; items carry `.` to say that the item itself is owned. */
export function toTree(paths: FieldSet): JsonMap {
  const root: Tree = {};
  for (const path of [...paths].sort()) {
    let node = root;
    for (const element of elements(path)) {
      const child = node[element] ?? {};
      node[element] = child;
      node = child;
    }
    if (elements(path).at(-1)?.startsWith('k:')) node['.'] = {};
  }
  return root;
}

interface Tree {
  [element: string]: Tree;
}

export function fromTree(tree: unknown, prefix: readonly string[] = []): FieldSet {
  const paths = new Set<FieldPath>();
  for (const [element, child] of Object.entries(isMap(tree) ? tree : {})) {
    const path = element === '.' ? prefix : [...prefix, element];
    if (element === '.' || Object.keys(isMap(child) ? child : {}).length === 0) paths.add(path.join(separator));
    else for (const deeper of fromTree(child, path)) paths.add(deeper);
  }
  return paths;
}

/** Path in the format of error messages: `.status.conditions[type="Ready"].reason`. */
export function pathText(path: FieldPath): string {
  return elements(path)
    .map((element) => {
      if (element.startsWith('f:')) return `.${element.slice(2)}`;
      const key: unknown = JSON.parse(element.slice(2));
      if (!isMap(key)) return `[=${JSON.stringify(key)}]`;
      return `[${Object.entries(key)
        .map(([field, value]) => `${field}=${JSON.stringify(value)}`)
        .join(',')}]`;
    })
    .join('');
}
