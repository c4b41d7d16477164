// Stores one object, or its end, and answers which pods that can touch and what is owed to them.
import { tolerationProblems } from '../decide/annotatedTolerations.ts';
import { claimNamesOf } from '../decide/consume.ts';
import { claimProblems } from '../decide/reservedFor.ts';
import type { Deleted, Upserted } from '../model/change.ts';
import type { Pod, ResourceClaim } from '../model/objects.ts';
import { indexPod, podsOfClaim, storeClaim, unindexPod } from '../state/claimRows.ts';
import { claimRowKey } from '../state/keys.ts';
import { isOvertaken, readWatermark } from '../state/liveness.ts';
import { type PodRow, storePod, tombstonePod } from '../state/podRows.ts';
import type { Seen, State, Stored } from '../state/state.ts';
import { type Applied, type FindTouched, owed, type Storing } from './applied.ts';
import { applyNamespace, applyPolicy } from './applyPolicy.ts';
import { applyClass, applyRule } from './applyRule.ts';
import { applySlice, applyTaintSlice } from './applySlice.ts';
import type { StepDependencies } from './step.ts';

const nothing: Applied = { pods: [] };

/** A message older than the table is dropped; one that a later list has overtaken is taken back as a deletion. */
export async function applyObject(deps: StepDependencies, state: State, change: Upserted | Deleted): Promise<Applied> {
  const { object } = change;
  const now = deps.clock.now();
  const { uid, resourceVersion } = object;
  const seen: Seen = { uid, resourceVersion, generation: change.generation ?? 0, at: now };
  const gone = change.type === 'Deleted' ? now : undefined;
  const findTouched = await store(state, object, gone === undefined ? { seen, now } : { seen, now, gone });
  const [stored, mark] = await Promise.all([findTouched?.(), readWatermark(state, object.kind)]);
  const overtaken = change.type === 'Upserted' && isOvertaken(seen, mark) && mark;
  if (overtaken) {
    const end = { ...seen, resourceVersion: overtaken.resourceVersion };
    const ended = await store(state, object, { seen: end, now, gone: now });
    return merged(stored, await ended?.());
  }
  deps.metrics.add(stored ? 'ChangesApplied' : 'ChangesStale', 1, state.cluster);
  return stored ?? nothing;
}

function merged(a: Applied | undefined, b: Applied | undefined): Applied {
  const pods = [...new Set([...(a?.pods ?? []), ...(b?.pods ?? [])])];
  return { ...a, ...b, pods };
}

/** `undefined` where the table has a newer version. */
async function store(state: State, object: Upserted['object'], how: Storing): Promise<FindTouched | undefined> {
  switch (object.kind) {
    case 'Pod':
      return applyPod(state, object, how);
    case 'ResourceClaim':
      return applyClaim(state, object, how);
    case 'ResourceSlice':
      return applySlice(state, object, how);
    case 'DeviceTaintSlice':
      return applyTaintSlice(state, object, how);
    case 'DeviceTaintRule':
    case 'PacedTaintRule':
      return applyRule(state, object, how);
    case 'EvictionPolicy':
      return applyPolicy(state, object, how);
    case 'Namespace':
      return applyNamespace(state, object, how);
    case 'DeviceClass':
      return applyClass(state, object, how);
    default:
      return object satisfies never;
  }
}

async function applyPod(state: State, pod: Pod, { seen, gone }: Storing): Promise<FindTouched | undefined> {
  const claims = claimNamesOf(pod);
  let stored: Stored<PodRow>;
  if (gone === undefined) {
    await indexPod(state, pod, { claims, seen });
    stored = await storePod(state, pod, seen);
  } else {
    stored = await tombstonePod(state, pod, { seen, now: gone });
    await unindexPod(state, pod, { claims, seen });
  }
  return stored.kind === 'Stored' ? async () => ({ pods: [stored.row.key] }) : undefined;
}

async function applyClaim(state: State, claim: ResourceClaim, how: Storing): Promise<FindTouched | undefined> {
  const stored = await storeClaim(state, claim, how);
  if (stored.kind === 'Stale') return undefined;
  const { row } = stored;
  const problems =
    how.gone === undefined && stored.isNewAnnotation
      ? [...claimProblems(claim), ...tolerationProblems(row.object)]
      : [];
  return async () => {
    const pods = row.dirty === '*' ? await podsOfClaim(state, row.key) : (row.dirty ?? []);
    return {
      pods,
      problems: problems.map((problem) => ({ claim, problem })),
      ...owed(claimRowKey(state.cluster, row.key), row),
    };
  };
}
