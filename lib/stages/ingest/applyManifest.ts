// Compares ranges of the mirror with a manifest: missing or older objects become expected, unlisted ones are gone.
import { heldAgainst, isAhead, type Known, versionText } from '../../mirror/order.ts';
import { byGroup, rangeOf } from '../../mirror/ranges.ts';
import type { Manifest, ManifestEntry } from '../../model/change.ts';
import { expectObject } from '../../state/expectedRows.ts';
import { headBounds, headPartition } from '../../state/mirrorKeys.ts';
import type { State } from '../../state/state.ts';
import { isCurrent, raiseWatermarks } from '../../state/watermarks.ts';
import { mapParallel } from '../../steps/mapParallel.ts';
import type { StepDependencies } from '../../steps/step.ts';
import type { HeadRow } from '../../table.ts';
import type { Applied } from './applied.ts';
import { endObject } from './applyAbsent.ts';
import { settleAhead } from './settleAhead.ts';
import { warnOfRestore } from './warnOfRestore.ts';

const pageSize = 500;

/** Differing keys processed between two checks of the watermark. */
const groupSize = 25;

interface Difference {
  readonly key: string;
  readonly known: Known | undefined;
  readonly entry: ManifestEntry | undefined;
}

/**
 * Raises the watermark first, so that a handler that stores an older message later finds it. Heads may lag behind their rows, so each
 * write is conditional on the row as its head showed it; a row that has changed is compared again.
 */
export async function applyManifest(
  deps: StepDependencies,
  state: State,
  manifest: Manifest,
): Promise<readonly Applied[]> {
  const { current, wentBack } = await raiseWatermarks(state, manifest.kind, { ...manifest, now: deps.clock.now() });
  if (wentBack) warnOfRestore(deps, state, { kinds: [manifest.kind], resourceVersion: manifest.resourceVersion });
  const left = new Map(manifest.entries.filter(({ key }) => current.has(rangeOf(key))).map((one) => [one.key, one]));
  const applied: Applied[] = [];
  for (const part of byGroup(manifest)) {
    const pk = headPartition(state.cluster, manifest.kind, part.group);
    let after: HeadRow | undefined;
    do {
      const page = await state.table.queryHeads({ pk, ...headBounds(part), limit: pageSize, ...(after && { after }) });
      const found = page.rows.map((head) => ({ key: head.headKey.slice(3), known: knownOf(head) }));
      const mine = found.filter(({ key }) => current.has(rangeOf(key)));
      const at = versionText(manifest.resourceVersion);
      const keys = mine.map(({ key, known }) => ({ key, known, entry: left.get(key) }));
      const differing = keys.flatMap((one) => differenceOf(manifest, one));
      const ahead = keys.filter(({ known, entry }) => isAhead(known, { entry, at }));
      for (const { key } of mine) left.delete(key);
      await settleAhead(deps, state, { manifest, keys: ahead });
      applied.push(...(await settleAll(deps, state, { manifest, differing })));
      after = page.next;
    } while (after);
  }
  const missing = [...left.values()].map((entry) => ({ key: entry.key, known: undefined, entry }));
  applied.push(...(await settleAll(deps, state, { manifest, differing: missing })));
  return applied;
}

function knownOf({ uid, at, mirror }: HeadRow): Known {
  return { uid, at, mirror: mirror as Known['mirror'] };
}

function differenceOf({ resourceVersion }: Manifest, of: Difference): readonly Difference[] {
  return heldAgainst(of.known, { entry: of.entry, at: versionText(resourceVersion) }) === 'Agrees' ? [] : [of];
}

async function settleAll(
  deps: StepDependencies,
  state: State,
  { manifest, differing }: { readonly manifest: Manifest; readonly differing: readonly Difference[] },
): Promise<readonly Applied[]> {
  const { kind, resourceVersion } = manifest;
  const applied: Applied[] = [];
  for (let i = 0; i < differing.length; i += groupSize) {
    const group = differing.slice(i, i + groupSize);
    const ranges = [...new Set(group.map(({ key }) => rangeOf(key)))];
    const still = await mapParallel(ranges, groupSize, async (range) =>
      (await isCurrent(state, kind, { range, resourceVersion })) ? range : undefined,
    );
    const mine = group.filter(({ key }) => still.includes(rangeOf(key)));
    const settled = await mapParallel(mine, groupSize, (one) => settle(deps, state, { manifest, one }));
    applied.push(...settled.flatMap((touched) => touched ?? []));
    deps.metrics.add('MirrorDrift', settled.filter((touched) => touched).length, state.cluster);
  }
  return applied;
}

const attempts = 4;

/** `undefined` where the row agrees with the manifest although its head did not. */
async function settle(
  deps: StepDependencies,
  state: State,
  { manifest, one }: { readonly manifest: Manifest; readonly one: Difference },
): Promise<readonly Applied[] | undefined> {
  const { kind, resourceVersion } = manifest;
  const { key, entry } = one;
  let { known } = one;
  for (let attempt = 0; attempt < attempts; attempt++) {
    const means = heldAgainst(known, { entry, at: versionText(resourceVersion) });
    if (means === 'Agrees') return attempt > 0 ? undefined : [];
    if (means === 'Gone' || !entry) return endObject(deps, state, { kind, key, resourceVersion });
    const result = await expectObject(state, { kind, key }, { known, entry, now: deps.clock.now() });
    if (result.kind === 'Written') return [];
    known = result.known;
  }
  throw new Error(`${kind} ${key} moved under ${attempts} attempts; the manifest is retried`);
}
