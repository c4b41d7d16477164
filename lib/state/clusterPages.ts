// A whole cluster as the table has it, a part at a time: what counts everything in it holds a few pages of rows and no more.
import { agentTaintsOf } from '../decide/taintSlice.ts';
import { type ClusterId, poolKey } from '../model/identity.ts';
import type { Pod, ResourceClaim } from '../model/objects.ts';
import { type InstallationSettings, type Snapshot, settingsFor, snapshotOf } from '../model/snapshot.ts';
import { queryAll, type Row, type Table } from '../table.ts';
import { readClaims } from './claimRows.ts';
import { readRemembered } from './deviceRows.ts';
import { allocationPartition, claimPartition, podPartition, shardOf, shards, slicePartition } from './keys.ts';
import { claimKeysOf, currentRuleSet, readNeighbourhood } from './neighbourhood.ts';
import { type PodRow, readPodRow } from './podRows.ts';
import { poolRowsOf, readPools } from './sliceRows.ts';
import { isLive, readObjectRow, type State } from './state.ts';

/** Rows of one page; DynamoDB ends a page at 1 MB all the same. */
const pageSize = 100;

/** Every live pod with all that decides about it. */
export async function* podPages(state: State, settings: InstallationSettings): AsyncGenerator<Snapshot> {
  const { classes } = await currentRuleSet(state);
  for await (const page of podRowPages(state)) {
    const pods = page.filter(isLive);
    if (pods.length > 0) yield { ...(await readNeighbourhood(state, pods, settings)), classes };
  }
}

/** Every pod's row, tombstones too. */
export async function* podRowPages(state: State): AsyncGenerator<readonly PodRow[]> {
  for await (const page of pagesOf(state, podPartition)) yield page.flatMap((row) => readPodRow(row, row.sk) ?? []);
}

/** Every live pod with its claims alone. */
export async function* consumerPages(state: State, settings: InstallationSettings): AsyncGenerator<Snapshot> {
  const { podGroups } = await currentRuleSet(state);
  const known = settingsFor(settings, { podGroups });
  for await (const page of pagesOf(state, podPartition)) {
    const pods = livesIn<Pod>(page);
    const claims = await liveClaims(state, claimKeysOf(pods));
    if (pods.length > 0) yield snapshotOf({ pods, claims, slices: [], rules: [], settings: known });
  }
}

export async function* claimPages(state: State): AsyncGenerator<readonly ResourceClaim[]> {
  for await (const page of pagesOf(state, claimPartition)) yield livesIn<ResourceClaim>(page);
}

/**
 * Every pool with what is published, tainted and allocated in it, and the rules, a few pools at a time and without pods. A claim
 * comes with each pool that it has devices of, and with those devices alone, so that what is counted of each part adds up. Claims are
 * read only of parts that need them.
 */
export async function* poolPages(
  state: State,
  settings: InstallationSettings,
  needsClaims: (part: Snapshot) => boolean = () => true,
): AsyncGenerator<Snapshot> {
  const { rules, classes, podGroups } = await currentRuleSet(state);
  const known = settingsFor(settings, { podGroups });
  for (const shard of shards) {
    for await (const rows of poolRowPages(state, shard)) {
      const { slices, taintSlices } = poolRowsOf(rows.slices);
      const pools = new Set(rows.pools);
      const isHere = ({ driver, pool }: { driver: string; pool: string }) => pools.has(poolKey(driver, pool));
      const names = [...new Set(rows.allocations.map(({ claim }) => claim as string))];
      const partWith = (claims: readonly ResourceClaim[]) => {
        const published = snapshotOf({ pods: [], claims, slices, rules, settings: known });
        // The same list each time: what was made of it stays right.
        return { ...published, rules, classes, agentTaints: agentTaintsOf(taintSlices, published.pools) };
      };
      const bare = partWith([]);
      const part = needsClaims(bare)
        ? partWith((await liveClaims(state, names)).map((claim) => withDevices(claim, isHere)))
        : bare;
      yield { ...part, remembered: await readRemembered(state, part) };
    }
  }
}

/** One pool with what is published and allocated in it. */
export async function poolPicture(
  state: State,
  { driver, pool }: { readonly driver: string; readonly pool: string },
): Promise<Pick<Snapshot, 'pools' | 'claims'>> {
  const key = poolKey(driver, pool);
  const range = { pk: allocationPartition(state.cluster, shardOf(key)), prefix: `${key}|` };
  const [{ slices }, rows] = await Promise.all([readPools(state, [key]), queryAll(state.table, range)]);
  const claims = await liveClaims(state, [...new Set(rows.map(({ claim }) => claim as string))]);
  return snapshotOf({ pods: [], claims, slices, rules: [] });
}

async function liveClaims(state: State, keys: readonly string[]): Promise<readonly ResourceClaim[]> {
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
  /** `driver|pool` of all of them. */
  readonly pools: readonly string[];
  readonly slices: readonly Row[];
  readonly allocations: readonly Row[];
}

/** Slices and allocations of a pool lie in the same shard and the same order, so that two cursors go through both side by side. */
async function* poolRowPages(state: State, shard: number): AsyncGenerator<PoolRowPage> {
  const slices = cursorOver(state.table, slicePartition(state.cluster, shard));
  const allocations = cursorOver(state.table, allocationPartition(state.cluster, shard));
  let page = { pools: [] as string[], slices: [] as Row[], allocations: [] as Row[] };
  for (;;) {
    const heads = [await slices.head(), await allocations.head()].flatMap((row) => (row ? [poolPrefixOf(row)] : []));
    const next = heads.sort()[0];
    if (next === undefined) break;
    page.pools.push(next.slice(0, -1));
    page.slices.push(...(await slices.take(next)));
    page.allocations.push(...(await allocations.take(next)));
    if (page.slices.length + page.allocations.length < pageSize) continue;
    yield page;
    page = { pools: [], slices: [], allocations: [] };
  }
  if (page.pools.length > 0) yield page;
}

/** `driver|pool|`, with which both kinds of rows begin. */
function poolPrefixOf({ sk }: Row): string {
  return sk.slice(0, sk.indexOf('|', sk.indexOf('|') + 1) + 1);
}

function cursorOver(table: Table, pk: string) {
  let rows: readonly Row[] = [];
  let at = 0;
  let after: string | undefined;
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
    /** The rows that begin with `prefix`, which the next one does. */
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

async function* pagesOf(
  state: State,
  partition: (cluster: ClusterId, shard: number) => string,
): AsyncGenerator<readonly Row[]> {
  for (const shard of shards) {
    let after: string | undefined;
    do {
      const from = after === undefined ? {} : { after };
      const page = await state.table.query({ pk: partition(state.cluster, shard), limit: pageSize, ...from });
      yield page.rows;
      after = page.next;
    } while (after !== undefined);
  }
}

function livesIn<T>(rows: readonly Row[]): readonly T[] {
  return rows.flatMap((row) => {
    const read = readObjectRow<T>(row, row.sk);
    return read && isLive(read) ? [read.object] : [];
  });
}
