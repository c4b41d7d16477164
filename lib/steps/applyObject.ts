// Stores one object, or its end, and answers which pods that can touch and what is owed to them.
import { tolerationProblems } from '../decide/annotatedTolerations.ts';
import { claimNamesOf } from '../decide/consume.ts';
import { claimProblems } from '../decide/reservedFor.ts';
import type { Deleted, Upserted } from '../model/change.ts';
import type { Pod, ResourceClaim } from '../model/objects.ts';
import { type ClaimRow, indexPod, storeClaim, unindexPod } from '../state/claimRows.ts';
import { claimRowKey } from '../state/keys.ts';
import { storePod } from '../state/podRows.ts';
import type { Seen, State, Storing } from '../state/state.ts';
import { type Applied, type FindTouched, owed } from './applied.ts';
import { applyNamespace, applyPolicy } from './applyPolicy.ts';
import { applyClass, applyRule } from './applyRule.ts';
import { applySlice, applyTaintSlice } from './applySlice.ts';
import type { StepDependencies } from './step.ts';

const nothing: Applied = { pods: [] };

/** A message that is older than the table, or that a manifest has overtaken, is dropped. */
export async function applyObject(deps: StepDependencies, state: State, change: Upserted | Deleted): Promise<Applied> {
  const { object } = change;
  const seen: Seen = { uid: object.uid, resourceVersion: object.resourceVersion };
  const now = deps.clock.now();
  const findTouched = await store(state, object, change.type === 'Deleted' ? { seen, now, gone: now } : { seen, now });
  deps.metrics.add(findTouched ? 'ChangesApplied' : 'ChangesStale', 1, state.cluster);
  return (await findTouched?.()) ?? nothing;
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

async function applyPod(state: State, pod: Pod, how: Storing): Promise<FindTouched | undefined> {
  const by = { claims: claimNamesOf(pod), seen: how.seen };
  if (how.gone === undefined) await indexPod(state, pod, by);
  const stored = await storePod(state, pod, how);
  if (how.gone !== undefined) await unindexPod(state, pod, by);
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
  return async () => ({
    ...claimTouches(state, row),
    problems: problems.map((problem) => ({ claim, problem })),
  });
}

export function claimTouches(state: State, row: ClaimRow): Applied {
  const whom = row.dirty === '*' ? { pods: [], reaches: [{ claim: row.key }] } : { pods: row.dirty ?? [] };
  return { ...whom, ...owed(claimRowKey(state.cluster, row.key), row) };
}
