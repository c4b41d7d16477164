// Applies merge patches (RFC 7386), strategic merge patches and JSON patches (RFC 6902) to an object.
import { badRequest } from './apiStatus.ts';
import { isSetList, listKey } from './listKeys.ts';
import { isMap, type JsonMap, same } from './object.ts';

/** RFC 7386: null removes, maps merge, everything else replaces. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isMap(patch)) return patch;
  const result: Record<string, unknown> = isMap(target) ? { ...target } : {};
  for (const [field, value] of Object.entries(patch)) {
    if (value === null) delete result[field];
    else result[field] = mergePatch(result[field], value);
  }
  return result;
}

/** Like a merge patch, but list-maps merge by key; `$patch: delete` and `$patch: replace` are directives. */
export function strategicMergePatch(target: unknown, patch: unknown, field = ''): unknown {
  if (Array.isArray(patch)) return mergeList(Array.isArray(target) ? target : [], patch, field);
  if (!isMap(patch)) return patch;
  if (patch.$patch === 'replace') return withoutDirectives(patch);
  const result: Record<string, unknown> = isMap(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (name.startsWith('$deleteFromPrimitiveList/')) removeValues(result, name.slice(name.indexOf('/') + 1), value);
    if (name.startsWith('$')) continue;
    if (value === null) delete result[name];
    else result[name] = strategicMergePatch(result[name], value, name);
  }
  return result;
}

function withoutDirectives(patch: JsonMap): JsonMap {
  return Object.fromEntries(Object.entries(patch).filter(([name]) => !name.startsWith('$')));
}

function removeValues(result: Record<string, unknown>, field: string, values: unknown): void {
  const list = result[field];
  if (Array.isArray(list) && Array.isArray(values)) result[field] = list.filter((item) => !values.includes(item));
}

/** As in the API server, items new to a list-map come first. */
function mergeList(target: readonly unknown[], patch: readonly unknown[], field: string): readonly unknown[] {
  if (isSetList(field)) return [...target, ...patch.filter((item) => !target.includes(item))];
  const key = listKey(field);
  if (!key) return patch;
  const isSameItem = (a: unknown, b: unknown) => isMap(a) && isMap(b) && a[key] !== undefined && same(a[key], b[key]);
  const items = patch.filter((item) => isMap(item) && (key in item || !('$patch' in item)));
  const base = patch.some((item) => isMap(item) && item.$patch === 'replace' && !(key in item)) ? [] : target;
  const kept = base.flatMap((item) => {
    const change = items.find((other) => isSameItem(item, other));
    if (change === undefined) return [item];
    return isMap(change) && change.$patch === 'delete' ? [] : [strategicMergePatch(item, change)];
  });
  const added = items.filter((item) => !target.some((other) => isSameItem(item, other)));
  return [...added.filter((item) => !isMap(item) || item.$patch !== 'delete'), ...kept];
}

/** RFC 6902: add, remove, replace and test. */
export function jsonPatch(target: unknown, operations: unknown): unknown {
  if (!Array.isArray(operations)) throw badRequest('invalid JSON patch');
  return operations.reduce((document: unknown, operation: unknown) => {
    if (!isMap(operation) || typeof operation.path !== 'string') throw badRequest('invalid JSON patch');
    const path = operation.path
      .split('/')
      .slice(1)
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
    return change(document, path, operation);
  }, target);
}

function change(value: unknown, path: readonly string[], operation: JsonMap): unknown {
  const [part = '', ...rest] = path;
  if (path.length === 0) return replaced(value, operation);
  const here = Array.isArray(value)
    ? value[part === '-' ? value.length : Number(part)]
    : isMap(value)
      ? value[part]
      : undefined;
  if (rest.length > 0 || operation.op === 'test') return put(value, part, change(here, rest, operation));
  if (operation.op === 'remove') return remove(value, part);
  const insert = operation.op === 'add' && Array.isArray(value);
  if (insert) return value.toSpliced(part === '-' ? value.length : Number(part), 0, operation.value);
  return put(value, part, operation.value);
}

function replaced(value: unknown, operation: JsonMap): unknown {
  if (operation.op !== 'test') return operation.value;
  if (same(value, operation.value)) return value;
  throw badRequest('the server rejected our request due to an error in our request');
}

function put(value: unknown, part: string, child: unknown): unknown {
  if (Array.isArray(value)) return value.with(Number(part), child);
  return { ...(isMap(value) ? value : {}), [part]: child };
}

function remove(value: unknown, part: string): unknown {
  if (Array.isArray(value)) return value.toSpliced(Number(part), 1);
  return Object.fromEntries(Object.entries(isMap(value) ? value : {}).filter(([name]) => name !== part));
}
