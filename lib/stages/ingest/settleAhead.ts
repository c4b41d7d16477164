// Requests objects again whose rows claim a version that the cluster has not reached after a whole round of manifests.
import type { Manifest, ManifestEntry } from '../../model/change.ts';
import { noteAhead } from '../../state/aheadRows.ts';
import { expectObject } from '../../state/expectedRows.ts';
import type { State } from '../../state/state.ts';
import { mapParallel } from '../../steps/mapParallel.ts';
import type { StepDependencies } from '../../steps/step.ts';

const sideBySide = 25;

/** `entry`: what the manifest says about the key, if anything. */
export interface AheadKey {
  readonly key: string;
  readonly entry: ManifestEntry | undefined;
}

/**
 * Sets the rows to `Expected` at the manifest's version, whatever they claimed: the API server's answer to the request decides,
 * since it has a version of its own, even if the object does not exist.
 */
export async function settleAhead(
  deps: StepDependencies,
  state: State,
  { manifest, keys }: { readonly manifest: Manifest; readonly keys: readonly AheadKey[] },
): Promise<void> {
  const { kind, resourceVersion } = manifest;
  const settled = await mapParallel(keys, sideBySide, async ({ key, entry }) => {
    const now = deps.clock.now();
    const noted = await noteAhead(state, { kind, key }, { resourceVersion, now });
    if (noted.kind === 'Noted') return false;
    const { known } = noted;
    const expected = entry ?? { uid: known.uid, resourceVersion };
    return (await expectObject(state, { kind, key }, { known, entry: expected, now })).kind === 'Written';
  });
  const count = settled.filter(Boolean).length;
  if (count === 0) return;
  deps.metrics.add('MirrorDrift', count, state.cluster);
  deps.log.warn('rows claimed versions that the cluster has not reached', {
    cluster: state.cluster,
    kind,
    resourceVersion,
  });
}
