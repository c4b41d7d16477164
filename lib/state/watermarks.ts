// Up to which version each range of a kind has been held against a manifest.
import { versionText } from '../mirror/order.ts';
import { byGroup, groupOf, type Ranges, rangeOf } from '../mirror/ranges.ts';
import type { ResourceVersion } from '../model/identity.ts';
import type { ObjectKind } from '../model/projection.ts';
import { absent, compare } from '../table.ts';
import { watermarkKey, watermarkName } from './mirrorKeys.ts';
import type { State } from './state.ts';

const attempts = 8;

/** Padded; `undefined` where no manifest has been here. */
export async function readWatermark(state: State, kind: ObjectKind, key: string): Promise<string | undefined> {
  const range = rangeOf(key);
  const row = await state.table.get(watermarkKey(state.cluster, kind, groupOf(range)));
  return row?.[watermarkName(range)] as string | undefined;
}

/**
 * Raises the watermarks of the ranges to a version and answers those that stand at it now. Equal ones count: whoever raised them may
 * have ended before it applied its manifest, and a quiet kind has no other version.
 */
export async function raiseWatermarks(
  state: State,
  kind: ObjectKind,
  by: Ranges & { readonly resourceVersion: ResourceVersion },
): Promise<ReadonlySet<number>> {
  const parts = await Promise.all(byGroup(by).map((part) => raiseGroup(state, kind, { ...by, ...part })));
  return new Set(parts.flat());
}

async function raiseGroup(
  state: State,
  kind: ObjectKind,
  by: Ranges & { readonly group: number; readonly resourceVersion: ResourceVersion },
): Promise<readonly number[]> {
  const key = watermarkKey(state.cluster, kind, by.group);
  const at = versionText(by.resourceVersion);
  const ranges = Array.from({ length: by.to - by.from + 1 }, (_, i) => by.from + i);
  for (let attempt = 0; attempt < attempts; attempt++) {
    const row = await state.table.get(key);
    const markOf = (range: number) => row?.[watermarkName(range)] as string | undefined;
    const current = ranges.filter((range) => (markOf(range) ?? '') <= at);
    const raised = current.filter((range) => markOf(range) !== at);
    if (raised.length === 0) return current;
    const set = Object.fromEntries(raised.map((range) => [watermarkName(range), at]));
    const when = row ? compare('ver', '=', row.ver as number) : absent('ver');
    const result = await state.table.write({ kind: 'Update', key, change: { set, add: { ver: 1 } }, when });
    if (result.kind === 'Written') return current;
  }
  throw new Error(`watermarks of ${kind} moved under ${attempts} attempts; the manifest is retried`);
}

/** Whether the ranges still stand at the version: a later manifest takes the place of this one. */
export async function isCurrent(
  state: State,
  kind: ObjectKind,
  by: { readonly range: number; readonly resourceVersion: ResourceVersion },
): Promise<boolean> {
  const row = await state.table.get(watermarkKey(state.cluster, kind, groupOf(by.range)));
  return row?.[watermarkName(by.range)] === versionText(by.resourceVersion);
}
