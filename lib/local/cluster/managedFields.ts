// Maintains metadata.managedFields: field owners by update or server-side apply.
import { type FieldPath, type FieldSet, fieldsOf, fromTree, toTree, valueAt } from './fields.ts';
import { type KubeObject, same, textAt, without } from './object.ts';
import { timestamp } from './timestamps.ts';

export interface Ownership {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly subresource: string | undefined;
  readonly apiVersion: string;
  readonly time: string;
  readonly fields: FieldSet;
}

export interface Writer {
  readonly manager: string;
  readonly subresource: string | undefined;
  readonly apiVersion: string;
  /** Epoch milliseconds. */
  readonly now: number;
}

export function ownershipsOf(object: KubeObject): readonly Ownership[] {
  return (object.metadata.managedFields ?? []).map((entry) => ({
    manager: textAt(entry, 'manager') ?? '',
    operation: entry.operation === 'Apply' ? 'Apply' : 'Update',
    subresource: textAt(entry, 'subresource'),
    apiVersion: textAt(entry, 'apiVersion') ?? '',
    time: textAt(entry, 'time') ?? '',
    fields: fromTree(entry.fieldsV1),
  }));
}

/** Apply entries come first, as the API server lists them. */
export function withOwnerships(object: KubeObject, ownerships: readonly Ownership[]): KubeObject {
  const entries = ownerships
    .filter((each) => each.fields.size > 0)
    .toSorted((a, b) => a.operation.localeCompare(b.operation) || a.manager.localeCompare(b.manager))
    .map((each) => ({
      manager: each.manager,
      operation: each.operation,
      apiVersion: each.apiVersion,
      time: each.time,
      fieldsType: 'FieldsV1',
      fieldsV1: toTree(each.fields),
      ...(each.subresource && { subresource: each.subresource }),
    }));
  const metadata = without(object.metadata, 'managedFields');
  return { ...object, metadata: { ...object.metadata, ...metadata, managedFields: entries } };
}

export function isOf(ownership: Ownership, operation: Ownership['operation'], writer: Writer): boolean {
  return (
    ownership.operation === operation &&
    ownership.manager === writer.manager &&
    ownership.subresource === writer.subresource
  );
}

/** After a create, update or plain patch: the writer owns changed fields; removed fields lose their owners. */
export function trackUpdate(old: KubeObject | undefined, next: KubeObject, writer: Writer): KubeObject {
  const [before, after] = [fieldsOf(old ?? {}, writer.subresource), fieldsOf(next, writer.subresource)];
  const changed = new Set(
    [...after].filter((path) => !before.has(path) || !same(valueAt(old, path), valueAt(next, path))),
  );
  const removed = new Set([...before].filter((path) => !after.has(path)));
  const owners = old ? ownershipsOf(old) : [];
  if (changed.size + removed.size === 0) return withOwnerships(next, owners);
  const own = owners.find((each) => isOf(each, 'Update', writer));
  const others = owners
    .filter((each) => each !== own)
    .map((each) => ({ ...each, fields: difference(each.fields, changed, removed) }));
  const fields = new Set([...difference(own?.fields ?? new Set(), removed), ...changed]);
  return withOwnerships(next, [...others, ownership('Update', writer, fields)]);
}

export function ownership(operation: Ownership['operation'], writer: Writer, fields: FieldSet): Ownership {
  const { manager, subresource, apiVersion, now } = writer;
  return { manager, operation, subresource, apiVersion, time: timestamp(now), fields };
}

export function difference(from: FieldSet, ...taken: readonly ReadonlySet<FieldPath>[]): FieldSet {
  return new Set([...from].filter((path) => !taken.some((paths) => paths.has(path))));
}
