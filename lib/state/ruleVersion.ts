// The row that every change of what rules say moves: caches hang on it, and every evaluation reads it.
import type { StoredModes } from '../model/ownership.ts';
import type { ObjectKind } from '../model/projection.ts';
import type { Served } from '../model/snapshot.ts';
import type { Key, Write } from '../table.ts';
import { ruleVersionKey } from './keys.ts';
import type { State } from './state.ts';

export interface RuleVersion extends Served {
  readonly version: number;
  readonly modes: StoredModes;
  /** Changes that said which row they wrote. */
  readonly noted: number;
  /** Sort key of the row that the last of these wrote. */
  readonly last?: string;
  /** Kinds that the API server has stopped to serve: what their rows say may be so or not. */
  readonly notServed: readonly ObjectKind[];
}

export async function readRuleVersion(state: State): Promise<RuleVersion> {
  const row = await state.table.get(ruleVersionKey(state.cluster));
  const { version = 0, modes = {}, noted = 0, last, notServed = [] } = (row ?? {}) as Partial<RuleVersion>;
  const common = { version, modes, noted, notServed, podGroups: row?.podGroups === true };
  return last === undefined ? common : { ...common, last };
}

/** The only row that changed between two versions; `undefined` where there were more, or nobody knows. */
export function onlyChange(from: RuleVersion, to: RuleVersion): string | undefined {
  return to.version === from.version + 1 && to.noted === from.noted + 1 ? to.last : undefined;
}

/** For the transaction that writes the row `key`, and no other one, in the partition of rules. */
export function nextVersion(state: State, { sk }: Key): Write {
  const change = { set: { last: sk }, add: { version: 1, noted: 1 } };
  return { kind: 'Update', key: ruleVersionKey(state.cluster), change };
}

/** Notes what the API server serves; whether that is news. */
export async function noteServed(
  state: State,
  { podGroups, notServed }: Served & { readonly notServed: readonly ObjectKind[] },
): Promise<boolean> {
  const known = await readRuleVersion(state);
  const next = notServed.toSorted();
  if (known.podGroups === podGroups && known.notServed.join() === next.join()) return false;
  const change = { set: { podGroups, notServed: next }, add: { version: 1 } };
  await state.table.write({ kind: 'Update', key: ruleVersionKey(state.cluster), change });
  return true;
}
