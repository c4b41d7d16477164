// Finds the pods that a change can affect through the indexes, page by page, with bounded memory for any cluster size.
import { reservedPods } from '../decide/consume.ts';
import { nameKey, poolKey } from '../model/identity.ts';
import type { DeviceTaintSelector, ResourceClaim } from '../model/objects.ts';
import type { RowRange } from '../table.ts';
import { allocationPartition, claimPodsPartition, claimRowKey, shardOf, shards } from './keys.ts';
import { readObjectRow, type State } from './state.ts';

/** Selects pods by the devices that they use, by namespace, or by a claim that they reference; `{}`: every pod that uses a device. */
export interface Reach extends DeviceTaintSelector {
  readonly namespace?: string;
  /** `namespace/name`; the other fields are ignored then. */
  readonly claim?: string;
}

/** Where the next page begins. */
export interface Position {
  /** Index among the ranges of all reaches. */
  readonly range: number;
  /** Sort key in the allocation index. */
  readonly after?: string;
  /** Sort key among the pods that reference the next claim. */
  readonly pod?: string;
}

export interface ReachedPage {
  /** `namespace/name`; a pod may appear on several pages. */
  readonly pods: readonly string[];
  /** Pools of the devices of the claims that were read, each `driver|pool`. */
  readonly pools: readonly string[];
  readonly next?: Position;
  /** Entries of the next page that were already read. */
  readonly ahead?: Entries;
}

/** Index rows per page. */
const rowsAtOnce = 1000;

/** Claims on the first page: pods of a few claims are evaluated before the pods of thousands are searched. */
const claimsAtFirst = 10;

/** Rows of each first range, read in parallel: a change that affects few pods waits for one round trip, not for one per shard. */
const rowsAhead = 200;

/** A page ends after the claim that reaches this number of pods, or within a claim that has more. */
const podsAtOnce = 1000;

type Range =
  | { readonly kind: 'Claim'; readonly claim: string }
  | { readonly kind: 'Devices'; readonly rows: RowRange; readonly reach: Reach };

/** A claim whose pods are affected. */
interface Entry {
  readonly claim: string;
  /** Include all pods that reference the claim, not only its consumers. */
  readonly isWhole: boolean;
  readonly before: Position;
  readonly behind: Position;
}

export interface Entries {
  readonly entries: readonly Entry[];
  /** Absent after the last range. */
  readonly next?: Position;
}

type ReadFrom = { readonly position: Position; readonly ahead?: Entries | undefined };

/** Reads one page; `ahead`: its entries, if already read. A pod whose claim or row changes in the meantime is evaluated for that. */
export async function readReached(state: State, reaches: readonly Reach[], from: ReadFrom): Promise<ReachedPage> {
  const { entries, next, ...left } = await entriesOfPage(state, reaches, from);
  const narrow = entries.filter(({ isWhole }) => !isWhole).map(({ claim }) => claim);
  const { reserved, pools } = await readReserved(state, narrow);
  const pods = new Set<string>();
  let { pod } = from.position;
  for (const [i, { claim, isWhole, before, behind }] of entries.entries()) {
    const mine = isWhole ? undefined : reserved.get(claim);
    const page = mine ? { pods: mine } : await podsReferring(state, claim, pod);
    for (const one of page.pods) pods.add(one);
    if (page.next !== undefined) return { pods: [...pods], pools, next: { ...before, pod: page.next } };
    if (pods.size >= podsAtOnce && i < entries.length - 1) return { pods: [...pods], pools, next: behind };
    pod = undefined;
  }
  return { pods: [...pods], pools, ...(next ? { next, ...left } : {}) };
}

async function entriesOfPage(
  state: State,
  reaches: readonly Reach[],
  { position, ahead: known }: ReadFrom,
): Promise<Entries & Pick<ReachedPage, 'ahead'>> {
  const read = known ?? (await readEntries(state, reaches, position));
  const last = read.entries[claimsAtFirst - 1];
  if (!last || read.entries.length === claimsAtFirst || !isBeginning(position)) return read;
  const ahead = { ...read, entries: read.entries.slice(claimsAtFirst) };
  return { entries: read.entries.slice(0, claimsAtFirst), next: last.behind, ahead };
}

/** One range if driver and pool are given; otherwise one per shard, with the driver as prefix if given. */
function rangesOf({ cluster }: State, reach: Reach): readonly Range[] {
  const { claim, driver, pool, device } = reach;
  if (claim !== undefined) return [{ kind: 'Claim', claim }];
  if (driver !== undefined && pool !== undefined) {
    const key = poolKey(driver, pool);
    const prefix = device === undefined ? `${key}|` : `${key}|${device}|`;
    return [{ kind: 'Devices', rows: { pk: allocationPartition(cluster, shardOf(key)), prefix }, reach }];
  }
  return shards.map((shard) => {
    const pk = allocationPartition(cluster, shard);
    return { kind: 'Devices', rows: driver === undefined ? { pk } : { pk, prefix: `${driver}|` }, reach };
  });
}

/** Returns each claim once. */
async function readEntries(state: State, reaches: readonly Reach[], position: Position): Promise<Entries> {
  const ranges = reaches.flatMap((reach) => rangesOf(state, reach));
  const entries = new Map<string, Entry>();
  let at: Position = position;
  let left = rowsAtOnce;
  const ahead = isBeginning(position) ? await readAhead(state, ranges) : [];
  for (let range = ranges[at.range]; range && left > 0; range = ranges[at.range]) {
    const known = at.after === undefined ? ahead[at.range] : undefined;
    const read = known ?? (await readRange(state, range, { at, limit: left }));
    for (const entry of read.entries) if (!entries.has(entry.claim)) entries.set(entry.claim, entry);
    left -= read.rows;
    at = read.next;
  }
  return { entries: [...entries.values()], ...(at.range < ranges.length ? { next: at } : {}) };
}

function isBeginning({ range, after, pod }: Position): boolean {
  return range === 0 && after === undefined && pod === undefined;
}

async function readAhead(state: State, ranges: readonly Range[]) {
  if (ranges.length === 1) return [];
  const first = ranges.slice(0, shards.length);
  return Promise.all(first.map((range, i) => readRange(state, range, { at: { range: i }, limit: rowsAhead })));
}

/** `next`: in the same range, or at the beginning of the following one. */
async function readRange(
  state: State,
  range: Range,
  { at, limit }: { readonly at: Position; readonly limit: number },
): Promise<{ readonly entries: readonly Entry[]; readonly rows: number; readonly next: Position }> {
  const behind = { range: at.range + 1 };
  if (range.kind === 'Claim') {
    const entry = { claim: range.claim, isWhole: true, before: { range: at.range }, behind };
    return { entries: [entry], rows: 1, next: behind };
  }
  const { after } = at;
  const page = await state.table.query({ ...range.rows, limit, ...(after === undefined ? {} : { after }) });
  const positions = page.rows.map(({ sk }): Position => ({ range: at.range, after: sk }));
  const entries = page.rows.map(({ claim }, i) => ({
    claim: claim as string,
    isWhole: false,
    before: positions[i - 1] ?? at,
    behind: positions[i] ?? behind,
  }));
  const reached = entries.filter((_, i) => isReached(page.rows[i]?.sk ?? '', range.reach));
  const next = page.next === undefined ? behind : { range: at.range, after: page.next };
  return { entries: reached, rows: page.rows.length, next };
}

/** `driver|pool|device|namespace/claim` */
function isReached(sk: string, { driver, pool, device, namespace }: Reach): boolean {
  const [itsDriver, itsPool, itsDevice, claim = ''] = sk.split('|');
  const same = (wanted: string | undefined, actual: string | undefined) => wanted === undefined || wanted === actual;
  const isThere = namespace === undefined || claim.startsWith(`${namespace}/`);
  return isThere && same(driver, itsDriver) && same(pool, itsPool) && same(device, itsDevice);
}

/** The pods by claim, for claims that only the pods in reservedFor can use. */
async function readReserved(
  state: State,
  keys: readonly string[],
): Promise<{ readonly reserved: ReadonlyMap<string, readonly string[]>; readonly pools: readonly string[] }> {
  const rows = await state.table.getMany(keys.map((claim) => claimRowKey(state.cluster, claim)));
  const claims = rows.flatMap((row) => readObjectRow<ResourceClaim>(row, row.sk)?.object ?? []);
  const devices = claims.flatMap(({ allocation }) => allocation?.devices ?? []);
  const reserved = claims.flatMap((claim) => {
    const pods = reservedPods(claim)?.map((name) => `${claim.namespace}/${name}`);
    return pods ? [[nameKey(claim), pods] as const] : [];
  });
  return { reserved: new Map(reserved), pools: [...new Set(devices.map((one) => poolKey(one.driver, one.pool)))] };
}

/** A page of the pods that reference a claim, a superset of its consumers. */
export async function podsReferring(
  state: State,
  claim: string,
  after?: string,
): Promise<{ readonly pods: readonly string[]; readonly next?: string }> {
  const range = { pk: claimPodsPartition(state.cluster, claim), limit: podsAtOnce };
  const page = await state.table.query(after === undefined ? range : { ...range, after });
  const namespace = claim.slice(0, claim.indexOf('/'));
  const pods = page.rows.map(({ sk }) => `${namespace}/${sk}`);
  return page.next === undefined ? { pods } : { pods, next: page.next };
}
