// Reads all differences that shadow mode found on one day, for tests with few of them.
import type { ShadowDifference } from '../../lib/model/shadow.ts';
import { differencePages } from '../../lib/state/shadowRows.ts';
import type { State } from '../../lib/state/state.ts';

export async function readDifferences(state: State, day: string): Promise<readonly ShadowDifference[]> {
  const found: ShadowDifference[] = [];
  for await (const page of differencePages(state, day)) found.push(...page);
  return found;
}
