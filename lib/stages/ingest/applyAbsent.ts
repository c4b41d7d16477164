// Marks an object as gone that a list did not contain.
import { emptyObject } from '../../mirror/emptyObject.ts';
import { hearGone } from '../../mirror/order.ts';
import type { Absent } from '../../model/change.ts';
import type { ObjectProjection } from '../../model/projection.ts';
import { objectRowKey } from '../../state/mirrorKeys.ts';
import { readKnown, type State } from '../../state/state.ts';
import type { StepDependencies } from '../../steps/step.ts';
import type { Applied } from './applied.ts';
import { applyObject } from './applyObject.ts';

/** A row that is newer than the list stays. A row that never held its object may still have undecided pods. */
export async function endObject(
  deps: StepDependencies,
  state: State,
  { kind, key, resourceVersion }: Pick<Absent, 'kind' | 'key' | 'resourceVersion'>,
): Promise<readonly Applied[]> {
  const row = await state.table.get(objectRowKey(state.cluster, kind, key));
  const known = readKnown(row);
  if (!row || !known || known.mirror === 'Gone') return [];
  const seen = { uid: known.uid, resourceVersion };
  if (hearGone(known, seen) === 'Stale') return [];
  const last = row.object as ObjectProjection | undefined;
  const object = last ? { ...last, ...seen } : emptyObject(kind, key, seen);
  return [await applyObject(deps, state, { type: 'Deleted', object })];
}
