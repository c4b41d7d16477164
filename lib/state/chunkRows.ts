// The open chunks of a fan-out: pods that are handed to the reconcile queue and not evaluated yet, with the pods themselves.
import type { RuleRef } from '../model/rule.ts';
import type { Instant, Milliseconds } from '../model/time.ts';
import type { Row } from '../table.ts';
import { dueAttributes } from './dueIndex.ts';
import { fanOutPartition } from './keys.ts';
import { type State, tombstoneSeconds } from './state.ts';

/** A chunk this old was lost, or waits in a dead-letter queue: it is sent again. */
export const chunkLostAfter: Milliseconds = 5 * 60_000;

/** `cause`: the ref of a rule, or the sort key of another object's row, which has a `#`. `epoch`: which state of it. */
export interface Chunk {
  readonly cause: string;
  readonly epoch: string;
  readonly id: string;
}

/** The rule whose condition waits for the chunk. */
export function ruleOfCause(cause: string): RuleRef | undefined {
  return cause.includes('#') ? undefined : cause;
}

function keyOf({ cluster }: State, { cause, epoch, id }: Chunk) {
  return { pk: fanOutPartition(cluster, cause), sk: `${epoch}#${id}` };
}

/** Before its message is sent. */
export async function openChunk(
  state: State,
  chunk: Chunk,
  { pods, now }: { readonly pods: readonly string[]; readonly now: Instant },
): Promise<void> {
  const key = keyOf(state, chunk);
  const ttl = Math.floor(now / 1000) + tombstoneSeconds;
  const set = { chunk, pods, openedAt: now, ttl, ...dueAttributes(state, key, now + chunkLostAfter) };
  await state.table.write({ kind: 'Update', key, change: { set } });
}

export async function closeChunk(state: State, chunk: Chunk): Promise<void> {
  await state.table.write({ kind: 'Delete', key: keyOf(state, chunk) });
}

/** Whether any is still to be evaluated; the condition of a rule waits for them. */
export async function hasOpenChunks(state: State, cause: string, epoch: string): Promise<boolean> {
  const range = { pk: fanOutPartition(state.cluster, cause), prefix: `${epoch}#`, limit: 1 };
  return (await state.table.query(range)).rows.length > 0;
}

/** Of a row that is due. */
export function readChunk(row: Row): { readonly chunk: Chunk; readonly pods: readonly string[] } | undefined {
  if (row.chunk === undefined || row.pods === undefined) return undefined;
  return { chunk: row.chunk as Chunk, pods: row.pods as readonly string[] };
}
