// Server-side apply: merges the declared fields, detects conflicts or forces ownership, removes fields no longer declared.
import { ApiStatus } from './apiStatus.ts';
import { elements, type FieldPath, type FieldSet, fieldsOf, isItem, isKeyed, pathText, valueAt } from './fields.ts';
import { isSetList, listKey } from './listKeys.ts';
import {
  difference,
  isOf,
  type Ownership,
  ownership,
  ownershipsOf,
  type Writer,
  withOwnerships,
} from './managedFields.ts';
import { isMap, type JsonMap, type KubeObject, same } from './object.ts';

export interface Application {
  readonly live: KubeObject;
  /** Fields that the manager declares; server-set metadata is ignored. */
  readonly config: JsonMap;
  readonly writer: Writer;
  readonly force: boolean;
}

export function applyConfig(application: Application): KubeObject {
  const { live, config, writer, force } = application;
  const declared = fieldsOf(config, writer.subresource);
  const owners = ownershipsOf(live);
  const own = owners.find((each) => isOf(each, 'Apply', writer));
  const others = owners.filter((each) => each !== own);
  const conflicts = conflictsWith(others, declared, application);
  if (conflicts.length > 0 && !force) throw conflictStatus(conflicts);

  const taken = new Set(conflicts.map((conflict) => conflict.path));
  const remaining = others.map((each) => ({ ...each, fields: difference(each.fields, taken) }));
  const kept = remaining.flatMap((each) => [...each.fields]);
  const dropped = [...difference(own?.fields ?? new Set(), declared, new Set(kept))].filter((path) =>
    isRemovable(path, kept),
  );
  const merged = mergeDeclared(live, part(config, writer.subresource));
  const next = dropped.sort(shallowFirst).reduce((object, path) => removeAt(object, elements(path)), merged);
  const unchanged = own && same([...own.fields].sort(), [...declared].sort()) && same(next, live);
  const entry = unchanged ? own : ownership('Apply', writer, declared.size > 0 ? declared : emptySet(writer));
  return withOwnerships(next as KubeObject, [...remaining, entry]);
}

/** A manager that declares nothing keeps an entry, as with the real API server. */
function emptySet(writer: Writer): FieldSet {
  return new Set([writer.subresource === 'status' ? 'f:status' : 'f:spec']);
}

/** A status write declares status only; any other write ignores status. */
function part(config: JsonMap, subresource: string | undefined): JsonMap {
  if (subresource === 'status') return { ...('status' in config && { status: config.status }) };
  const { status: _status, apiVersion: _version, kind: _kind, metadata, ...rest } = config;
  const { labels, annotations, finalizers, ownerReferences } = isMap(metadata) ? metadata : {};
  const declared = { labels, annotations, finalizers, ownerReferences };
  return { ...rest, metadata: Object.fromEntries(Object.entries(declared).filter(([, value]) => value !== undefined)) };
}

interface FieldConflict {
  readonly owner: Ownership;
  readonly path: FieldPath;
}

function conflictsWith(others: readonly Ownership[], declared: FieldSet, application: Application): FieldConflict[] {
  const { live, config } = application;
  const differing = [...declared].filter((path) => !isItem(path) && !same(valueAt(live, path), valueAt(config, path)));
  return others.flatMap((owner) => differing.filter((path) => owner.fields.has(path)).map((path) => ({ owner, path })));
}

function conflictStatus(conflicts: readonly FieldConflict[]): ApiStatus {
  const causes = conflicts.map(({ owner, path }) => {
    const using = owner.operation === 'Update' ? ` using ${owner.apiVersion}` : '';
    const where = owner.subresource ? ` with subresource "${owner.subresource}"` : '';
    return {
      reason: 'FieldManagerConflict',
      message: `conflict with "${owner.manager}"${where}${using}`,
      field: pathText(path),
    };
  });
  const [first] = causes;
  const list =
    causes.length === 1 && first
      ? `1 conflict: ${first.message}: ${first.field}`
      : `${causes.length} conflicts: ${causes.map((cause) => `${cause.message}:\n- ${cause.field}`).join('\n')}`;
  return new ApiStatus({ code: 409, reason: 'Conflict', message: `Apply failed with ${list}`, details: { causes } });
}

function mergeDeclared(live: unknown, declared: unknown, field = ''): unknown {
  if (isMap(live) && isMap(declared)) {
    const merged: Record<string, unknown> = { ...live };
    for (const [name, value] of Object.entries(declared)) merged[name] = mergeDeclared(live[name], value, name);
    return merged;
  }
  const key = listKey(field);
  if (!Array.isArray(live) || !Array.isArray(declared)) return declared;
  if (isSetList(field)) return [...live, ...declared.filter((item) => !live.includes(item))];
  if (!key) return declared;
  const matching = (item: unknown) => declared.find((other) => isMap(item) && isMap(other) && item[key] === other[key]);
  const kept = live.map((item) => {
    const other = matching(item);
    return other === undefined ? item : mergeDeclared(item, other);
  });
  const added = declared.filter(
    (item) => !live.some((other) => isMap(item) && isMap(other) && item[key] === other[key]),
  );
  return [...kept, ...added];
}

/** A list item is removed as a whole, unless others own a field in it; its key field is never removed alone. */
function isRemovable(path: FieldPath, kept: readonly FieldPath[]): boolean {
  if (isItem(path)) return !kept.some((other) => other.startsWith(path));
  const [item = '', field = ''] = elements(path).slice(-2);
  return !(item.startsWith('k:') && item.startsWith(`k:{"${field.slice(2)}":`));
}

function shallowFirst(a: FieldPath, b: FieldPath): number {
  return elements(a).length - elements(b).length;
}

/** Removes a field or item, and its list or map if that becomes empty. */
function removeAt(value: unknown, path: readonly string[]): unknown {
  const [element = '', ...rest] = path;
  if (Array.isArray(value)) {
    const key: unknown = JSON.parse(element.slice(2));
    const index = value.findIndex((item) => (element.startsWith('k:') ? isKeyed(item, key) : same(item, key)));
    if (index < 0) return value;
    return rest.length === 0 ? value.toSpliced(index, 1) : value.with(index, removeAt(value[index], rest));
  }
  const field = element.slice(2);
  if (!isMap(value) || !(field in value)) return value;
  const { [field]: child, ...others } = value;
  if (rest.length === 0) return others;
  const left = removeAt(child, rest);
  return Array.isArray(left) && left.length === 0 ? others : { ...others, [field]: left };
}
