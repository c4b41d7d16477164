// Reads the names of all registered limiters, for tests with few of them.
import type { LimiterId } from '../../lib/model/eviction.ts';
import { limiterPages } from '../../lib/state/limiterRows.ts';
import type { State } from '../../lib/state/state.ts';

export async function readLimiters(state: State): Promise<readonly LimiterId[]> {
  const names: LimiterId[] = [];
  for await (const page of limiterPages(state, { from: undefined })) names.push(...page);
  return names;
}
