// Reads the record of one eviction: its intent, its grounds and its outcome.
import { headIndex } from '../contract.ts';
import type { Grounds } from '../decide/grounds.ts';
import type { ApiAnswers, EvictionRequest, RecordOutcome, Token } from '../model/eviction.ts';
import type { PodRef, Uid } from '../model/identity.ts';
import type { Instant } from '../model/time.ts';
import type { Reason } from '../model/verdict.ts';
import type { Row } from '../table.ts';
import { noDue } from './dueIndex.ts';
import { recordKey } from './recordKeys.ts';
import type { State } from './state.ts';

export interface EvictionRecord {
  readonly pod: PodRef;
  /** `Open` while the DELETE is under way, or after a crash. */
  readonly outcome: RecordOutcome | 'Open';
  readonly because: readonly Reason[];
  /** Number of further reasons; absent if `because` has all. */
  readonly more?: number;
  readonly token?: Token;
  /** Absent in records of earlier versions. */
  readonly request?: EvictionRequest;
  /** Absent in records of earlier versions. */
  readonly grounds?: Grounds;
  /** Why it was abandoned: the API server's answer, or that it was late. */
  readonly why?: string;
  /** The earliest due time of its taints. */
  readonly dueAt?: Instant;
  /** The API server's answers to the calls of this attempt; absent while it is open, and after a crash. */
  readonly answers?: ApiAnswers;
  /** Number of attempts to delete the pod, including this one. */
  readonly attempts?: number;
  /** When the intent was written, right before PATCH and DELETE. */
  readonly openedAt: Instant;
  readonly closedAt?: Instant;
}

/** Index attributes of the row. */
const indexed: readonly string[] = [...noDue, headIndex.partition, headIndex.sort];

/** `undefined` for a pod that Sluice never tried to delete, or whose record has expired. */
export async function readRecord(state: State, uid: Uid): Promise<EvictionRecord | undefined> {
  return recordOf(await state.table.get(recordKey(state.cluster, uid)));
}

export function recordOf(row: Row | undefined): EvictionRecord | undefined {
  if (row === undefined || row.pod === undefined) return undefined;
  const { pk: _, sk: __, uid: ___, ttl: ____, ...rest } = row;
  const record = Object.fromEntries(Object.entries(rest).filter(([name]) => !indexed.includes(name)));
  const { because } = record as unknown as EvictionRecord;
  const dueAt = because.length === 0 ? {} : { dueAt: Math.min(...because.map(({ at }) => at)) };
  return { ...record, ...dueAt } as unknown as EvictionRecord;
}
