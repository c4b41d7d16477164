// The pods that a limiter lists: waiting, pending, or being deleted.
import type { LimiterId } from '../model/eviction.ts';
import { pageSize, type Row } from '../table.ts';
import { countedAtOnce } from './listedCounts.ts';
import { type Standing, standingOf } from './listingRows.ts';
import { type ListRow, readListPage } from './listPages.ts';
import type { State } from './state.ts';

/** A pod in a limiter's list; the pod's own row is authoritative. */
export interface Listed {
  readonly pod: string;
  readonly uid: string;
  readonly namespace: string;
  readonly sk: string;
  /** `namespace/name` of the claims that the pod named when it was listed; absent in rows of older releases. */
  readonly claims?: readonly string[];
  /** Present while its eviction is under way. */
  readonly deleting?: true;
  /** Partition of a spread list; absent in the first one. */
  readonly shard?: number;
}

/** A page of the pods that a limiter lists. */
export async function readListedPage(
  state: State,
  limiter: LimiterId,
  after: string | undefined,
): Promise<{ readonly rows: readonly Listed[]; readonly next?: string }> {
  const page = await readListPage(state, limiter, { limit: pageSize, after });
  return { ...page, rows: page.rows.map(listedIn) };
}

/** Every pod that a limiter lists, page by page, including pods being deleted: all pods that its taint still evicts. */
export async function* listedPages(state: State, limiter: LimiterId): AsyncGenerator<readonly Listed[]> {
  let after: string | undefined;
  do {
    const page = await readListedPage(state, limiter, after);
    yield page.rows;
    after = page.next;
  } while (after !== undefined);
}

/** The standing of every pod that a limiter lists, 1,000 per page. */
export async function* standingPages(state: State, limiter: LimiterId): AsyncGenerator<readonly Standing[]> {
  let after: string | undefined;
  do {
    const page = await readListPage(state, limiter, { limit: countedAtOnce, after });
    yield page.rows.map(({ row: { sk, deleting } }) => standingOf(deleting ? { sk, deleting: true } : { sk }));
    after = page.next;
  } while (after !== undefined);
}

function listedIn({ row, shard }: ListRow): Listed {
  return listed(row, shard);
}

export function listed(row: Row, shard = 0): Listed {
  const { pod, uid, ns: namespace, claims, sk, deleting } = row as Row & Listed & { readonly ns: string };
  return {
    pod,
    uid,
    namespace,
    sk,
    ...(claims ? { claims } : {}),
    ...(deleting ? { deleting } : {}),
    ...(shard === 0 ? {} : { shard }),
  };
}
