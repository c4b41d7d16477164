// Takes the end of a list into the table: what the list did not show and is not newer than it has gone.
import type { Deleted, Relisted } from '../model/change.ts';
import type { ObjectKind, ObjectProjection } from '../model/projection.ts';
import { claimPartition, podPartition, rulePartition, shards, slicePartition, versionText } from '../state/keys.ts';
import { raiseWatermark } from '../state/liveness.ts';
import { type ObjectRow, readObjectRow, type State } from '../state/state.ts';
import { queryAll } from '../table.ts';
import type { Applied } from './applied.ts';
import { applyObject } from './applyObject.ts';
import type { StepDependencies } from './step.ts';

/**
 * The watermark goes up first: a handler that stores an older message after it finds it there. Rows newer than the list
 * stay: they are of the watch that followed it (protocol 8).
 */
export async function applyRelist(deps: StepDependencies, state: State, list: Relisted): Promise<readonly Applied[]> {
  if ((await raiseWatermark(state, list.kind, list)) === 'Stale') return [];
  const shown = new Map(list.keys.map(({ key, uid }) => [key, uid]));
  const limit = versionText(list.resourceVersion);
  const rows = (await rowsOf(state, list)).filter(
    (row) => !row.gone && row.rv <= limit && shown.get(row.key) !== row.uid,
  );
  return Promise.all(
    rows.map((row) => {
      const object = { ...row.object, resourceVersion: list.resourceVersion };
      const end: Deleted = { type: 'Deleted', object, generation: list.generation };
      return applyObject(deps, state, end);
    }),
  );
}

async function rowsOf(state: State, list: Relisted): Promise<readonly ObjectRow<ObjectProjection>[]> {
  const pages = await Promise.all(partitionsOf(state, list.kind).map((pk) => queryAll(state.table, { pk })));
  const mine = pages.flat().filter(({ sk }) => !isRuleKind(list.kind) || sk.startsWith(`${list.kind}#`));
  const found = mine.flatMap((row) => readObjectRow<ObjectProjection>(row, keyOf(row.sk, list.kind)) ?? []);
  // Slices of both kinds lie together.
  const rows = found.filter(({ object }) => object.kind === list.kind);
  return rows.filter(
    ({ key }) => (list.from === undefined || key >= list.from) && (list.to === undefined || key < list.to),
  );
}

function partitionsOf(state: State, kind: ObjectKind): readonly string[] {
  switch (kind) {
    case 'Pod':
      return shards.map((shard) => podPartition(state.cluster, shard));
    case 'ResourceClaim':
      return shards.map((shard) => claimPartition(state.cluster, shard));
    case 'ResourceSlice':
    case 'DeviceTaintSlice':
      return shards.map((shard) => slicePartition(state.cluster, shard));
    case 'DeviceTaintRule':
    case 'PacedTaintRule':
    case 'EvictionPolicy':
    case 'DeviceClass':
    case 'Namespace':
      return [rulePartition(state.cluster)];
    default:
      return kind satisfies never;
  }
}

/** Kinds that lie together in the partition of rules, each under its own prefix. */
function isRuleKind(kind: ObjectKind): boolean {
  return ['DeviceTaintRule', 'PacedTaintRule', 'EvictionPolicy', 'DeviceClass', 'Namespace'].includes(kind);
}

function keyOf(sk: string, kind: ObjectKind): string {
  return isRuleKind(kind) ? sk.slice(kind.length + 1) : sk;
}
