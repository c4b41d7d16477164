// Keys of the mirror: an object's row, its head, and the watermark of its range.
import { groupOf, type Ranges, rangeOf, rangesPerRow, rangeText } from '../mirror/ranges.ts';
import type { ClusterId } from '../model/identity.ts';
import type { ObjectKind } from '../model/projection.ts';
import type { Key, Row } from '../table.ts';
import { claimRowKey, podRowKey, rulePartition, sliceRowKey } from './keys.ts';

/** The row of an object by its key in manifests. */
export function objectRowKey(cluster: ClusterId, kind: ObjectKind, key: string): Key {
  switch (kind) {
    case 'Pod':
      return podRowKey(cluster, key);
    case 'ResourceClaim':
      return claimRowKey(cluster, key);
    case 'ResourceSlice':
    case 'DeviceTaintSlice':
      return sliceRowKey(cluster, key);
    case 'DeviceTaintRule':
    case 'PacedTaintRule':
    case 'EvictionPolicy':
    case 'DeviceClass':
    case 'Namespace':
      return { pk: rulePartition(cluster), sk: `${kind}#${key}` };
    default:
      return kind satisfies never;
  }
}

/** Attributes that put a row into the head index; constant for the lifetime of the row. */
export function headAttributes(cluster: ClusterId, kind: ObjectKind, key: string) {
  const range = rangeOf(key);
  return { head: headPartition(cluster, kind, groupOf(range)), headKey: `${rangeText(range)}#${key}` };
}

export function headPartition(cluster: ClusterId, kind: ObjectKind, group: number): string {
  return `${cluster}#HEAD#${kind}#${group.toString(16)}`;
}

/** Bounds of all keys of adjacent ranges in one partition; `$` sorts after `#`. */
export function headBounds({ from, to }: Ranges): { readonly from: string; readonly to: string } {
  return { from: `${rangeText(from)}#`, to: `${rangeText(to)}$` };
}

/** Kind and manifest key of a row, from its head. */
export function ofHead({ head, headKey }: Row): { readonly kind: ObjectKind; readonly key: string } {
  const [, , kind] = String(head).split('#');
  return { kind: kind as ObjectKind, key: String(headKey).slice(3) };
}

export function watermarkKey(cluster: ClusterId, kind: ObjectKind, group: number): Key {
  return { pk: `${cluster}#WATERMARK`, sk: `${kind}#${group.toString(16)}` };
}

/** The attribute of that row for one of its ranges. */
export function watermarkName(range: number): string {
  return `m${(range % rangesPerRow).toString(16)}`;
}
