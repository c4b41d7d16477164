// Walks over every pool of a cluster with its devices, taints and allocations, a few pools at a time.
import { agentTaintsOf } from '../decide/taintSlice.ts';
import { recallOf } from '../memory.ts';
import { poolKey } from '../model/identity.ts';
import type { ResourceClaim } from '../model/objects.ts';
import { type InstallationSettings, type Snapshot, settingsFor, snapshotOf } from '../model/snapshot.ts';
import { pageSize, queryAll, type Row, type Table } from '../table.ts';
import { readClaims } from './claimRows.ts';
import { beginning, nextShard, type Place, type Placed, partsOf } from './clusterWalk.ts';
import { type Current, currentRuleSet } from './currentRules.ts';
import { allocationPartition, shardOf, shards, slicePartition } from './keys.ts';
import { poolRowsOf, readPools } from './sliceRows.ts';
import { isLive, type State } from './state.ts';

/** What to read of each part, and where to begin. */
export interface PoolWalk {
  readonly from?: Place;
  /** Claims are read only for parts where this is true; default: all parts. */
  readonly needsClaims?: (part: Snapshot) => boolean;
}

/**
 * Every pool with its devices, taints and allocations, and the rules, a few pools at a time and without pods. A claim is included
 * in each pool of which it has devices, with only those devices, so that counts of parts add up.
 */
export function poolPages(state: State, settings: InstallationSettings, walk: PoolWalk = {}): AsyncGenerator<Snapshot> {
  return partsOf(placedPools(state, settings, walk));
}

export async function* placedPools(
  state: State,
  settings: InstallationSettings,
  { from = beginning, needsClaims }: PoolWalk,
): AsyncGenerator<Placed<Snapshot>> {
  const current = await currentRuleSet(state);
  for (const shard of shards.slice(from.shard)) {
    const pages = poolRowPages(state, shard === from.shard ? from : { shard });
    for await (const { part, behind } of pages)
      yield { part: await partOf(state, { rows: part, current, settings, needsClaims }), behind };
  }
}

async function partOf(
  state: State,
  by: {
    readonly rows: PoolRowPage;
    readonly current: Current;
    readonly settings: InstallationSettings;
    readonly needsClaims: PoolWalk['needsClaims'];
  },
): Promise<Snapshot> {
  const { rows, needsClaims } = by;
  const { rules, classes, podGroups } = by.current;
  const settings = settingsFor(by.settings, { podGroups });
  const { slices, taintSlices } = poolRowsOf(rows.slices);
  const pools = new Set(rows.pools);
  const isHere = ({ driver, pool }: { driver: string; pool: string }) => pools.has(poolKey(driver, pool));
  const partWith = (claims: readonly ResourceClaim[]) => {
    const published = snapshotOf({ pods: [], claims, slices, rules, settings, recall: recallOf(state.memory) });
    // Pass the same list each time, so that values derived from it stay valid.
    return { ...published, rules, classes, agentTaints: agentTaintsOf(taintSlices, published.pools) };
  };
  const bare = needsClaims && partWith([]);
  const names = [...new Set(rows.allocations.map(({ claim }) => claim as string))];
  const part =
    bare && !needsClaims(bare)
      ? bare
      : partWith((await liveClaims(state, names)).map((claim) => withDevices(claim, isHere)));
  return part;
}

/** One pool with its devices and allocations. */
export async function poolPicture(
  state: State,
  { driver, pool }: { readonly driver: string; readonly pool: string },
): Promise<Pick<Snapshot, 'pools' | 'claims'>> {
  const key = poolKey(driver, pool);
  const range = { pk: allocationPartition(state.cluster, shardOf(key)), prefix: `${key}|` };
  const [{ slices }, rows] = await Promise.all([readPools(state, [key]), queryAll(state.table, range)]);
  const claims = await liveClaims(state, [...new Set(rows.map(({ claim }) => claim as string))]);
  return snapshotOf({ pods: [], claims, slices, rules: [], recall: recallOf(state.memory) });
}

/** Those of the given claims that exist in the cluster. */
export async function liveClaims(state: State, keys: readonly string[]): Promise<readonly ResourceClaim[]> {
  return (await readClaims(state, keys)).rows.filter(isLive).map(({ object }) => object);
}

function withDevices(
  claim: ResourceClaim,
  isHere: (device: { readonly driver: string; readonly pool: string }) => boolean,
): ResourceClaim {
  const { allocation } = claim;
  return allocation ? { ...claim, allocation: { ...allocation, devices: allocation.devices.filter(isHere) } } : claim;
}

interface PoolRowPage {
  /** Each `driver|pool`. */
  readonly pools: readonly string[];
  readonly slices: readonly Row[];
  readonly allocations: readonly Row[];
}

/** Slices and allocations of a pool are in shards of the same number and in the same order, so two cursors advance together. */
async function* poolRowPages(state: State, { shard, after }: Place): AsyncGenerator<Placed<PoolRowPage>> {
  const from = after === undefined ? undefined : `${after}|\uffff`;
  const slices = cursorOver(state.table, { pk: slicePartition(state.cluster, shard), from });
  const allocations = cursorOver(state.table, { pk: allocationPartition(state.cluster, shard), from });
  let page = { pools: [] as string[], slices: [] as Row[], allocations: [] as Row[] };
  for (;;) {
    const heads = [await slices.head(), await allocations.head()].flatMap((row) => (row ? [poolPrefixOf(row)] : []));
    const next = heads.sort()[0];
    if (next === undefined) break;
    page.pools.push(next.slice(0, -1));
    page.slices.push(...(await slices.take(next)));
    page.allocations.push(...(await allocations.take(next)));
    if (page.slices.length + page.allocations.length < pageSize) continue;
    yield { part: page, behind: { shard, after: page.pools.at(-1) ?? '' } };
    page = { pools: [], slices: [], allocations: [] };
  }
  if (page.pools.length > 0) yield { part: page, behind: nextShard(shard) };
}

/** `driver|pool|`, the common prefix of both kinds of rows. */
function poolPrefixOf({ sk }: Row): string {
  return sk.slice(0, sk.indexOf('|', sk.indexOf('|') + 1) + 1);
}

function cursorOver(table: Table, { pk, from }: { readonly pk: string; readonly from: string | undefined }) {
  let rows: readonly Row[] = [];
  let at = 0;
  let after = from;
  let isLast = false;
  const head = async (): Promise<Row | undefined> => {
    while (at >= rows.length && !isLast) {
      const page = await table.query({ pk, limit: pageSize, ...(after === undefined ? {} : { after }) });
      [rows, at, after, isLast] = [page.rows, 0, page.next, page.next === undefined];
    }
    return rows[at];
  };
  return {
    head,
    /** Takes the rows that begin with `prefix`; the next row must. */
    async take(prefix: string): Promise<readonly Row[]> {
      const taken: Row[] = [];
      for (let row = await head(); row?.sk.startsWith(prefix); row = await head()) {
        taken.push(row);
        at++;
      }
      return taken;
    },
  };
}
