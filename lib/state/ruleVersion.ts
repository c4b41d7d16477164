// The version row, changed by every change of rules: it validates caches, and every evaluation reads it.
import type { StoredModes } from '../model/ownership.ts';
import type { ObjectKind } from '../model/projection.ts';
import type { Served } from '../model/snapshot.ts';
import { absent, compare, type Key, type Write } from '../table.ts';
import { modesKey, ruleVersionKey } from './keys.ts';
import type { State } from './state.ts';

export interface RuleVersion extends Served {
  readonly version: number;
  readonly modes: StoredModes;
  /** Number of changes that recorded which row they wrote. */
  readonly noted: number;
  /** Sort key of the row that the last of these changes wrote. */
  readonly last?: string;
  /** Kinds that the API server no longer serves: their rows may be out of date. */
  readonly notServed: readonly ObjectKind[];
  /** The version at which the served kinds changed, while not every pod is handed to an evaluation yet. */
  readonly servedOwed?: number;
}

export async function readRuleVersion(state: State): Promise<RuleVersion> {
  const key = ruleVersionKey(state.cluster);
  const rows = await state.table.getMany([key, modesKey(state.cluster)]);
  const row = rows.find(({ pk }) => pk === key.pk);
  const modes = (rows.find(({ pk }) => pk !== key.pk)?.modes ?? {}) as StoredModes;
  const { version = 0, noted = 0, last, notServed = [], servedOwed } = (row ?? {}) as Partial<RuleVersion>;
  const owed = servedOwed === undefined ? {} : { servedOwed };
  const common = { version, modes, noted, notServed, podGroups: row?.podGroups === true, ...owed };
  return last === undefined ? common : { ...common, last };
}

/** The only row that changed between two versions; `undefined` where several changed, or the row is unknown. */
export function onlyChange(from: RuleVersion, to: RuleVersion): string | undefined {
  return to.version === from.version + 1 && to.noted === from.noted + 1 ? to.last : undefined;
}

/** For the transaction that writes the row `key`, and no other row, in the partition of rules. */
export function nextVersion(state: State, { sk }: Key): Write {
  const change = { set: { last: sk }, add: { version: 1, noted: 1 } };
  return { kind: 'Update', key: ruleVersionKey(state.cluster), change };
}

const attempts = 10;

/**
 * Stores which kinds the API server serves. Returns the version whose fan-out is owed: the new one, or that of an interrupted
 * heartbeat. Throws where other writers keep winning.
 */
export async function noteServed(
  state: State,
  { podGroups, notServed }: Served & { readonly notServed: readonly ObjectKind[] },
): Promise<number | undefined> {
  const key = ruleVersionKey(state.cluster);
  const next = notServed.toSorted();
  for (let attempt = 0; attempt < attempts; attempt++) {
    const known = await readRuleVersion(state);
    if (known.podGroups === podGroups && known.notServed.join() === next.join()) return known.servedOwed;
    const servedOwed = known.version + 1;
    const change = { set: { podGroups, notServed: next, servedOwed }, add: { version: 1 } };
    const when = known.version === 0 ? absent('version') : compare('version', '=', known.version);
    if ((await state.table.write({ kind: 'Update', key, change, when })).kind === 'Written') return servedOwed;
  }
  throw new Error(`what ${state.cluster} serves could not be noted in ${attempts} attempts; the heartbeat is retried`);
}

/** Call after every pod was handed to an evaluation; does nothing if the served kinds have changed again. */
export async function settleServed(state: State, owed: number): Promise<void> {
  const change = { remove: ['servedOwed'] };
  const when = compare('servedOwed', '=', owed);
  await state.table.write({ kind: 'Update', key: ruleVersionKey(state.cluster), change, when });
}
