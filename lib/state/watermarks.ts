// Up to which version each range of a kind has been held against a manifest.
import { versionText } from '../mirror/order.ts';
import { byGroup, groupOf, type Ranges, rangeOf } from '../mirror/ranges.ts';
import type { ResourceVersion } from '../model/identity.ts';
import type { ObjectKind } from '../model/projection.ts';
import type { Instant, Milliseconds } from '../model/time.ts';
import { absent, compare, type Row } from '../table.ts';
import { watermarkKey, watermarkName } from './mirrorKeys.ts';
import type { State } from './state.ts';

const attempts = 8;

/** A watcher sends the next manifest of a range after nine minutes (lib/watcher/rounds.ts): what comes sooner may be a duplicate. */
export const roundAtLeast: Milliseconds = 8 * 60_000;

export interface Raised {
  /** Ranges that stand at the version. */
  readonly current: ReadonlySet<number>;
  /** Two manifests of different rounds were below the watermark, and none between them was not: etcd was restored. */
  readonly wentBack: boolean;
}

/** Padded; `undefined` where no manifest has been here. */
export async function readWatermark(state: State, kind: ObjectKind, key: string): Promise<string | undefined> {
  const range = rangeOf(key);
  const row = await state.table.get(watermarkKey(state.cluster, kind, groupOf(range)));
  return row?.[watermarkName(range)] as string | undefined;
}

/**
 * Raises the watermarks of the ranges to a version, `now`, and answers those that stand at it now. Equal ones count: the handler that raised
 * them may have ended before it applied its manifest, and a quiet kind has no other version.
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

/** The first manifest below all watermarks since the last one that was not. */
function lowOf(row: Row | undefined): { readonly version: string; readonly at: Instant } | undefined {
  return typeof row?.lowVersion === 'string' ? { version: row.lowVersion, at: Number(row.lowAt) } : undefined;
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
