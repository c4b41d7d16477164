// Stores one object, or its end, and answers which pods that can touch and what is owed to them.

import { tolerationProblems } from '../decide/annotatedTolerations.ts';
import { claimNamesOf } from '../decide/consume.ts';
import { claimProblems } from '../decide/reservedFor.ts';
import { taintRulesOf } from '../decide/ruleTaints.ts';
import type { Deleted, Upserted } from '../model/change.ts';
import type { LimiterId } from '../model/eviction.ts';
import type { ClaimProblem, DeviceClass, Pod, ResourceClaim, ResourceSlice } from '../model/objects.ts';
import { type AnyRule, type RuleRef, ruleLimiter, ruleRef } from '../model/rule.ts';
import type { Instant } from '../model/time.ts';
import { podsUsing } from '../state/allocations.ts';
import { indexPod, podsOfClaim, storeClaim, unindexPod } from '../state/claimRows.ts';
import { rememberDevices } from '../state/deviceRows.ts';
import { claimRowKey, classRowKey, ruleRowKey, sliceKey, sliceRowKey } from '../state/keys.ts';
import { isOvertaken, readWatermark } from '../state/liveness.ts';
import { dropPlan } from '../state/planRows.ts';
import { type PodRow, storePod, tombstonePod } from '../state/podRows.ts';
import { epochOf, readRules, rulesNaming, selectionsOfClass, storeClass, storeRule } from '../state/ruleRows.ts';
import { storeSlice } from '../state/sliceRows.ts';
import type { DirtyRow, ObjectRow, Seen, State, Stored } from '../state/state.ts';
import type { Key } from '../table.ts';
import type { StepDependencies } from './step.ts';

export interface DirtyRule {
  readonly ref: RuleRef;
  readonly epoch: string;
  readonly resourceVersion: string;
}

/** What a stored change asks for. */
export interface Applied {
  /** `namespace/name` of every pod whose verdict may have moved. */
  readonly pods: readonly string[];
  /** The row to mark clean once those pods are evaluated or queued. */
  readonly dirty?: { readonly key: Key; readonly row: ObjectRow<unknown> };
  /** A rule whose condition is to be written. */
  readonly rule?: DirtyRule;
  /** Limiters whose pace may have changed while their pods have not. */
  readonly repaced?: readonly LimiterId[];
  /** Rules whose status may have to say something else. */
  readonly reports?: readonly RuleRef[];
  /** What is wrong with a claim, to be told in an Event. */
  readonly problems?: readonly { readonly claim: ResourceClaim; readonly problem: ClaimProblem }[];
  /** A driver whose published devices have changed. */
  readonly driver?: string;
}

const nothing: Applied = { pods: [] };

/** A message older than the table is dropped; one that a later list has overtaken is taken back as a deletion. */
export async function applyObject(deps: StepDependencies, state: State, change: Upserted | Deleted): Promise<Applied> {
  const { object } = change;
  const seen: Seen = { uid: object.uid, resourceVersion: object.resourceVersion, generation: change.generation ?? 0 };
  const now = deps.clock.now();
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

interface Storing {
  readonly seen: Seen;
  readonly now: Instant;
  readonly gone?: Instant;
}

/** What a stored object touches, looked up after it is stored. */
type FindTouched = () => Promise<Applied>;

/** `undefined` where the table has a newer version. */
async function store(state: State, object: Upserted['object'], how: Storing): Promise<FindTouched | undefined> {
  switch (object.kind) {
    case 'Pod':
      return applyPod(state, object, how);
    case 'ResourceClaim':
      return applyClaim(state, object, how);
    case 'ResourceSlice':
      return applySlice(state, object, how);
    case 'DeviceTaintRule':
    case 'PacedTaintRule':
      return applyRule(state, object, how);
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

async function applySlice(state: State, slice: ResourceSlice, how: Storing): Promise<FindTouched | undefined> {
  await rememberDevices(state, slice, how);
  const stored = await storeSlice(state, slice, how);
  if (stored.kind === 'Stale') return undefined;
  const { row } = stored;
  const selector = { driver: slice.driver, pool: slice.pool.name };
  const dirty = row.dirty ?? [];
  const selectors = dirty === '*' ? [selector] : dirty.map((device) => ({ ...selector, device }));
  return async () => {
    const pods = (await Promise.all(selectors.map((one) => allPodsUsing(state, one)))).flat();
    return { pods, driver: slice.driver, ...owed(sliceRowKey(state.cluster, sliceKey(slice)), row) };
  };
}

async function applyRule(state: State, rule: AnyRule, how: Storing): Promise<FindTouched | undefined> {
  const ref = ruleRef(rule);
  const stored = await storeRule(state, rule, how);
  if (stored.kind === 'Stale') return undefined;
  const { row } = stored;
  const selectors = row.dirty ?? [];
  const isSettled = stored.sameSpec && selectors.length === 0 && !stored.isRepeat;
  if (how.gone !== undefined) await dropPlan(state, ref);
  const changed =
    isSettled || how.gone !== undefined
      ? {}
      : { rule: { ref, epoch: epochOf(rule), resourceVersion: rule.resourceVersion } };
  const repaced = stored.isAnnotated ? { repaced: taintRulesOf(rule).map(ruleLimiter) } : {};
  return async () => {
    const pods = (await Promise.all(selectors.map((selector) => allPodsUsing(state, selector)))).flat();
    return { pods, ...owed(ruleRowKey(state.cluster, ref), row), ...changed, ...repaced };
  };
}

/** A class decides nothing itself: the rules that name it select other devices now. */
async function applyClass(state: State, deviceClass: DeviceClass, how: Storing): Promise<FindTouched | undefined> {
  const stored = await storeClass(state, deviceClass, how);
  if (stored.kind === 'Stale') return undefined;
  const { row } = stored;
  return async () => {
    const rules = await readRules(state);
    const selectors = selectionsOfClass(rules, deviceClass.name);
    const reports = rulesNaming(rules, deviceClass.name).map(ruleRef);
    const pods = (await Promise.all(selectors.map((selector) => allPodsUsing(state, selector)))).flat();
    return { pods, reports, ...owed(classRowKey(state.cluster, deviceClass.name), row) };
  };
}

async function allPodsUsing(state: State, selector: Parameters<typeof podsUsing>[1]): Promise<readonly string[]> {
  const pods = new Set<string>();
  for await (const batch of podsUsing(state, selector)) for (const pod of batch) pods.add(pod);
  return [...pods];
}

function owed(key: Key, row: DirtyRow<unknown, '*' | true | readonly unknown[]>): Pick<Applied, 'dirty'> {
  return row.dirty && (row.dirty === true || row.dirty.length > 0) ? { dirty: { key, row } } : {};
}
