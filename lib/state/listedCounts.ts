// Counts the pods that some limiters list, each once, without holding the pods in memory.
import type { LimiterId } from '../model/eviction.ts';
import type { Uid } from '../model/identity.ts';
import { pageSize } from '../table.ts';
import { type ListRow, readListPage } from './listPages.ts';
import { readPods } from './podRows.ts';
import type { State } from './state.ts';

/** Pods and namespaces that some limiters list together. */
export interface ListedCounts {
  readonly pods: number;
  readonly namespaces: number;
}

/** Rows per page where rows are only counted. */
export const countedAtOnce = 1000;

/** `seen`: called for each pod. `isEnough`: stops counting once the counts so far answer the question. */
export async function countListed(
  state: State,
  limiters: readonly LimiterId[],
  by: { readonly seen?: (uid: Uid) => void; readonly isEnough?: (counts: ListedCounts) => boolean } = {},
): Promise<ListedCounts> {
  const { seen, isEnough = () => false } = by;
  const namespaces = new Set<string>();
  let pods = 0;
  for await (const page of listedOnce(state, limiters)) {
    for (const { row } of page) {
      namespaces.add(row.ns as string);
      seen?.(row.uid as Uid);
    }
    pods += page.length;
    if (isEnough({ pods, namespaces: namespaces.size })) break;
  }
  return { pods, namespaces: namespaces.size };
}

/**
 * The pods that any of some limiters lists, page by page. The row of a pod says which limiters list it: after the first limiter
 * with pods, pod rows are read, and pods that were already yielded are skipped.
 */
async function* listedOnce(state: State, limiters: readonly LimiterId[]): AsyncGenerator<readonly ListRow[]> {
  const before = new Set<LimiterId>();
  for (const limiter of new Set(limiters)) {
    const limit = before.size === 0 ? countedAtOnce : pageSize;
    let isEmpty = true;
    let after: string | undefined;
    do {
      const page = await readListPage(state, limiter, { limit, after });
      isEmpty &&= page.rows.length === 0;
      yield before.size === 0 ? page.rows : await withoutListed(state, page.rows, before);
      after = page.next;
    } while (after !== undefined);
    if (!isEmpty) before.add(limiter);
  }
}

async function withoutListed(
  state: State,
  rows: readonly ListRow[],
  before: ReadonlySet<LimiterId>,
): Promise<readonly ListRow[]> {
  const pods = await readPods(
    state,
    rows.map(({ row }) => row.pod as string),
  );
  const counted = new Set(
    pods.filter(({ listed }) => listed.some(({ limiter }) => before.has(limiter))).map(({ key }) => key),
  );
  return rows.filter(({ row }) => !counted.has(row.pod as string));
}
