// How each stage reads the table: those that work on many pods side by side join their reads.
import { joinReads } from '../adapters/dynamodb/joinedReads.ts';
import type { Table } from '../table.ts';

const joining: ReadonlySet<string> = new Set(['ingest', 'reconcile', 'evict', 'executor']);

export function tableFor(stage: string, table: Table): Table {
  return joining.has(stage) ? joinReads(table) : table;
}
