// The manifest version up to which each range of a kind was compared.
import { versionText } from '../mirror/order.ts';
import { byGroup, groupOf, type Ranges, rangeOf } from '../mirror/ranges.ts';
import type { ResourceVersion } from '../model/identity.ts';
import type { ObjectKind } from '../model/projection.ts';
import type { Instant, Milliseconds } from '../model/time.ts';
import { absent, compare, type Row } from '../table.ts';
import { watermarkKey, watermarkName } from './mirrorKeys.ts';
import type { State } from './state.ts';

const attempts = 8;

/** A watcher sends the next manifest of a range after nine minutes (lib/watcher/rounds.ts); an earlier one may be a duplicate. */
export const roundAtLeast: Milliseconds = 8 * 60_000;

export interface Raised {
  /** Ranges whose watermark is this version. */
  readonly current: ReadonlySet<number>;
  /** Manifests of two rounds were below the watermark, with no newer one in between: etcd was restored. */
  readonly wentBack: boolean;
}

/** Padded; `undefined` where no manifest covered the range yet. */
export async function readWatermark(state: State, kind: ObjectKind, key: string): Promise<string | undefined> {
  const range = rangeOf(key);
  const row = await state.table.get(watermarkKey(state.cluster, kind, groupOf(range)));
  return row?.[watermarkName(range)] as string | undefined;
}

/**
 * Raises the watermarks of the ranges to a version and returns the ranges that have this version now. Equal ones count: the handler
 * that raised them may have been interrupted before it applied its manifest, and an unchanged kind has no newer version.
 */
export async function raiseWatermarks(
  state: State,
  kind: ObjectKind,
  by: Ranges & { readonly resourceVersion: ResourceVersion; readonly now: Instant },
): Promise<Raised> {
  const parts = await Promise.all(byGroup(by).map((part) => raiseGroup(state, kind, { ...by, ...part })));
  return { current: new Set(parts.flatMap(({ current }) => current)), wentBack: parts.some((part) => part.wentBack) };
}

async function raiseGroup(
  state: State,
  kind: ObjectKind,
  by: Ranges & { readonly group: number; readonly resourceVersion: ResourceVersion; readonly now: Instant },
): Promise<{ readonly current: readonly number[]; readonly wentBack: boolean }> {
  const key = watermarkKey(state.cluster, kind, by.group);
  const at = versionText(by.resourceVersion);
  const ranges = Array.from({ length: by.to - by.from + 1 }, (_, i) => by.from + i);
  for (let attempt = 0; attempt < attempts; attempt++) {
    const row = await state.table.get(key);
    const markOf = (range: number) => row?.[watermarkName(range)] as string | undefined;
    const current = ranges.filter((range) => (markOf(range) ?? '') <= at);
    const raised = current.filter((range) => markOf(range) !== at);
    const low = lowOf(row);
    const isBelow = current.length === 0;
    if (isBelow && low) return { current, wentBack: at > low.version && by.now - low.at >= roundAtLeast };
    if (!isBelow && !low && raised.length === 0) return { current, wentBack: false };
    const marks = Object.fromEntries(raised.map((range) => [watermarkName(range), at]));
    const change = isBelow
      ? { set: { lowVersion: at, lowAt: by.now }, add: { ver: 1 } }
      : { set: marks, remove: ['lowVersion', 'lowAt'], add: { ver: 1 } };
    const when = row ? compare('ver', '=', row.ver as number) : absent('ver');
    const result = await state.table.write({ kind: 'Update', key, change, when });
    if (result.kind === 'Written') return { current, wentBack: false };
  }
  throw new Error(`watermarks of ${kind} moved under ${attempts} attempts; the manifest is retried`);
}

/** The first manifest below all watermarks since the last manifest that was not. */
function lowOf(row: Row | undefined): { readonly version: string; readonly at: Instant } | undefined {
  return typeof row?.lowVersion === 'string' ? { version: row.lowVersion, at: Number(row.lowAt) } : undefined;
}

/** Whether a range still has this watermark; a later manifest supersedes this one. */
export async function isCurrent(
  state: State,
  kind: ObjectKind,
  by: { readonly range: number; readonly resourceVersion: ResourceVersion },
): Promise<boolean> {
  const row = await state.table.get(watermarkKey(state.cluster, kind, groupOf(by.range)));
  return row?.[watermarkName(by.range)] === versionText(by.resourceVersion);
}
