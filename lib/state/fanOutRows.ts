// Fan-outs: the progress through the pods that a change can affect, and the chunks of pods that are not evaluated yet.
import { chunkSize } from '../contract.ts';
import type { RuleRef } from '../model/rule.ts';
import type { Instant, Milliseconds } from '../model/time.ts';
import { absent, compare, type Key, present, type Row, type Write } from '../table.ts';
import { dueAttributes } from './dueIndex.ts';
import { fanOutPartition } from './keys.ts';
import { type Entries, type Position, type Reach, type ReachedPage, readReached } from './reach.ts';
import { type State, tombstoneSeconds } from './state.ts';

/** A chunk this old was lost, or is in a dead-letter queue: its message is sent again. */
const chunkLostAfter: Milliseconds = 5 * 60_000;

/** After this time, the step that processes a fan-out has written a page or was interrupted. */
const leftAfter: Milliseconds = 60_000;

/** Size of a fan-out's first chunk, whose pods are evicted while the others are evaluated. */
const firstChunkSize = 10;

/** Maximum reaches in a row; with more, every pod that uses a device is evaluated. */
const reachesKept = 500;

/** Sort key of the cursor: one per cause, so that a newer version replaces and stops an older one. */
const cursor = '-';

export interface FanOutOf {
  /** The ref of a rule, or a text with `#` for other causes. */
  readonly cause: string;
  /** The version of the cause. */
  readonly epoch: string;
  readonly reaches: readonly Reach[];
}

export interface FanOut extends FanOutOf {
  readonly openedAt: Instant;
  readonly pages: number;
  /** Where the next page begins. */
  readonly position: Position;
  /** The `step` of the stored row; absent where no row is stored. */
  readonly stored?: string;
}

/** The pods of a fan-out in one message; the chunk's row stays until they are evaluated. */
export interface Chunk {
  readonly cause: string;
  readonly epoch: string;
  readonly id: string;
}

/** The rule whose condition waits for the fan-out. */
export function ruleOfCause(cause: string): RuleRef | undefined {
  return cause.includes('#') ? undefined : cause;
}

/** The cause of a change that is not a rule's: the row that changed. */
export function causeOf({ sk }: Pick<Key, 'sk'>): string {
  return `${sk}#`;
}

export function fanOutKey({ cluster }: State, cause: string): Key {
  return { pk: fanOutPartition(cluster, cause), sk: cursor };
}

function chunkKey({ cluster }: State, { cause, epoch, id }: Chunk): Key {
  return { pk: fanOutPartition(cluster, cause), sk: `${epoch}#${id}` };
}

/**
 * The fan-out of a cause, stored with its first page. An interrupted fan-out of the same version is continued; one of another
 * version ends, and this one also covers the pods that it had not reached.
 */
export async function beginFanOut(state: State, of: FanOutOf, now: Instant): Promise<FanOut> {
  const known = readFanOut(await state.table.get(fanOutKey(state, of.cause)));
  if (known?.epoch === of.epoch) return known;
  const reaches = [...(known?.reaches ?? []), ...of.reaches];
  const stored = known?.stored === undefined ? {} : { stored: known.stored };
  return { ...newFanOut({ ...of, reaches }, now), ...stored };
}

/** Also reads the first page, in parallel; reads it again if a stored fan-out is continued. */
export async function beginWithPage(
  state: State,
  of: FanOutOf,
  now: Instant,
): Promise<{ readonly fanOut: FanOut; readonly page: ReachedPage }> {
  const [fanOut, page] = await Promise.all([beginFanOut(state, of, now), nextPage(state, newFanOut(of, now))]);
  return { fanOut, page: fanOut.stored === undefined ? page : await nextPage(state, fanOut) };
}

/** For a step that may be interrupted before a fan-out begins: the sweep sends the message. */
export async function openFanOut(state: State, of: FanOutOf, now: Instant): Promise<void> {
  await state.table.write({ kind: 'Put', row: cursorRow(state, newFanOut(of, now), now) });
}

function cursorRow(state: State, { stored: _, ...fanOut }: FanOut, now: Instant): Row & { readonly step: string } {
  const key = fanOutKey(state, fanOut.cause);
  const step = `${fanOut.epoch}|${fanOut.openedAt}|${fanOut.pages}`;
  const ttl = Math.floor(now / 1000) + tombstoneSeconds;
  return { ...key, fanOut, step, storedAt: now, ttl, ...dueAttributes(state, key, now + leftAfter) };
}

export function newFanOut({ cause, epoch, reaches: all }: FanOutOf, now: Instant): FanOut {
  const distinct = [...new Map(all.map((reach) => [JSON.stringify(reach), reach])).values()];
  const reaches = distinct.length > reachesKept ? [{}] : distinct;
  return { cause, epoch, reaches, openedAt: now, pages: 0, position: { range: 0 } };
}

/** Whether the step that processed a fan-out was interrupted, by its row. */
export const isInterrupted = ({ storedAt }: Row, now: Instant): boolean => now - Number(storedAt ?? 0) >= leftAfter;

/** Reads a due row. */
export function readFanOut(row: Row | undefined): FanOut | undefined {
  if (row?.fanOut === undefined) return undefined;
  return { ...(row.fanOut as FanOut), stored: row.step as string };
}

/** `ahead`: entries of this page that the previous page has already read. */
export function nextPage(state: State, { reaches, position }: FanOut, ahead?: Entries): Promise<ReachedPage> {
  return readReached(state, reaches, { position, ahead });
}

interface Advanced {
  readonly chunks: readonly { readonly chunk: Chunk; readonly pods: readonly string[] }[];
  /** The rest of the fan-out. */
  readonly rest?: FanOut;
}

/** Writes a page's chunks and the next position in one write. `Lost`: another step advanced it, or another version began. */
export async function advanceFanOut(
  state: State,
  fanOut: FanOut,
  { page, now }: { readonly page: ReachedPage; readonly now: Instant },
): Promise<Advanced | 'Lost'> {
  const chunks = chunksOf(fanOut, page.pods);
  const { stored } = fanOut;
  const key = fanOutKey(state, fanOut.cause);
  const when = stored === undefined ? absent('step') : compare('step', '=', stored);
  const rest = page.next ? { ...fanOut, pages: fanOut.pages + 1, position: page.next } : undefined;
  const row = rest && cursorRow(state, rest, now);
  const ended: Write[] = stored === undefined ? [] : [{ kind: 'Delete', key, when }];
  const cursorWrites: Write[] = row ? [{ kind: 'Put', row, when }] : ended;
  const writes = [...cursorWrites, ...chunks.map(({ chunk, pods }) => openChunk(state, chunk, { pods, now }))];
  const [only] = writes;
  if (!only) return { chunks };
  const result = writes.length > 1 ? await state.table.transact(writes) : await state.table.write(only);
  if (result.kind === 'Lost') return 'Lost';
  return rest && row ? { chunks, rest: { ...rest, stored: row.step } } : { chunks };
}

function chunksOf({ cause, epoch, openedAt, pages }: FanOut, pods: readonly string[]): Advanced['chunks'] {
  const first = pages === 0 ? firstChunkSize : 0;
  const portions = [...inChunks(pods.slice(0, first)), ...inChunks(pods.slice(first))];
  return portions.map((some, i) => ({ chunk: { cause, epoch, id: `${openedAt}.${pages}.${i}` }, pods: some }));
}

/** Splits pods into chunks of one message each. */
export function inChunks(pods: readonly string[]): readonly (readonly string[])[] {
  const starts = Array.from({ length: Math.ceil(pods.length / chunkSize) }, (_, i) => i * chunkSize);
  return starts.map((start) => pods.slice(start, start + chunkSize));
}

/** The write of a chunk's row, before its message is sent. */
function openChunk(state: State, chunk: Chunk, by: { readonly pods: readonly string[]; readonly now: Instant }): Write {
  const key = chunkKey(state, chunk);
  const ttl = Math.floor(by.now / 1000) + tombstoneSeconds;
  const due = dueAttributes(state, key, by.now + chunkLostAfter);
  return { kind: 'Put', row: { ...key, chunk, pods: by.pods, ttl, ...due } };
}

/** Call after a chunk's message was sent again. */
export async function postponeChunk(state: State, chunk: Chunk, now: Instant): Promise<void> {
  const key = chunkKey(state, chunk);
  const change = { set: dueAttributes(state, key, now + chunkLostAfter) };
  await state.table.write({ kind: 'Update', key, change, when: present('chunk') });
}

export async function closeChunk(state: State, chunk: Chunk): Promise<void> {
  await state.table.write({ kind: 'Delete', key: chunkKey(state, chunk) });
}

/** Whether pods are still searched or not evaluated; the condition of a rule waits for them. */
export async function isFanningOut(state: State, cause: string, epoch: string): Promise<boolean> {
  const range = { pk: fanOutPartition(state.cluster, cause), prefix: `${epoch}#`, limit: 1 };
  // Read the cursor first: the write that deletes it also writes the last chunks.
  if (await state.table.get(fanOutKey(state, cause))) return true;
  return (await state.table.query(range)).rows.length > 0;
}

/** The same for any version, for causes without versions. */
export async function isHandingOver(state: State, cause: string): Promise<boolean> {
  return (await state.table.query({ pk: fanOutPartition(state.cluster, cause), limit: 1 })).rows.length > 0;
}

/** Reads a due row. */
export function readChunk(row: Row): { readonly chunk: Chunk; readonly pods: readonly string[] } | undefined {
  if (row.chunk === undefined || row.pods === undefined) return undefined;
  return { chunk: row.chunk as Chunk, pods: row.pods as readonly string[] };
}
