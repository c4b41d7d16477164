// A cluster's modes: those that operators set, and those applied. They outlive an incarnation.
import { allOwned, lowest, type ModePlan, type Modes, type Source, type StoredModes } from '../model/ownership.ts';
import type { Instant } from '../model/time.ts';
import { absent, compare } from '../table.ts';
import { modesKey } from './keys.ts';
import { modePlanKey } from './modeKeys.ts';
import type { State } from './state.ts';

export interface ModesRow {
  readonly modes: StoredModes;
  /** Increases with every write; 0 before the first. */
  readonly ver: number;
}

export async function readModes(state: State): Promise<ModesRow> {
  const row = await state.table.get(modesKey(state.cluster));
  return { modes: (row?.modes as StoredModes | undefined) ?? {}, ver: (row?.modesVer as number | undefined) ?? 0 };
}

/** `Lost`: another writer has changed them since they were read. */
export async function writeModes(state: State, before: ModesRow, modes: StoredModes): Promise<ModesRow | 'Lost'> {
  const ver = before.ver + 1;
  const result = await state.table.write({
    kind: 'Update',
    key: modesKey(state.cluster),
    change: { set: { modes, modesVer: ver } },
    when: before.ver === 0 ? absent('modesVer') : compare('modesVer', '=', before.ver),
  });
  return result.kind === 'Written' ? { modes, ver } : 'Lost';
}

const attempts = 10;

/**
 * Sets the modes that an operator wants; `own` reverts an earlier switch and, for native taints, ignores traces of the in-tree
 * controller up to now. The same write lowers the applied modes, so that no work is left undone that a second switch
 * would hide. Throws where other writers keep winning.
 */
export async function switchModes(state: State, wanted: Partial<Modes>, now: Instant): Promise<StoredModes> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const before = await readModes(state);
    const switched = { ...before.modes.switched, ...wanted };
    const applied = lowest(before.modes.applied ?? allOwned, switched);
    const { inTree, heedAfter, ...rest } = before.modes;
    const traces =
      wanted.native === 'own'
        ? // API server timestamps have whole seconds: a trace of the current second may be newer.
          { heedAfter: Math.max(Math.floor(now / 1000) * 1000 - 1, inTree?.at ?? 0) }
        : { ...(inTree && { inTree }), ...(heedAfter !== undefined && { heedAfter }) };
    const written = await writeModes(state, before, { ...rest, ...traces, switched, applied, isOwed: true });
    if (written !== 'Lost') return written.modes;
  }
  throw new Error(`the modes of ${state.cluster} moved under ${attempts} attempts to switch them: try again`);
}

/** Stores the plan that was shown when a source was last switched on. */
export async function storeModePlan(state: State, source: Source, plan: ModePlan): Promise<void> {
  await state.table.write({ kind: 'Update', key: modePlanKey(state.cluster, source), change: { set: { ...plan } } });
}

export async function readModePlan(state: State, source: Source): Promise<ModePlan | undefined> {
  const row = await state.table.get(modePlanKey(state.cluster, source));
  if (row === undefined) return undefined;
  const { pk: _, sk: __, ...plan } = row;
  return plan as unknown as ModePlan;
}
