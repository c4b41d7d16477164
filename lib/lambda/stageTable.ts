// The table as each stage uses it: stages that process many pods concurrently join their reads and their transactions.
import { joinReads } from '../adapters/dynamodb/joinedReads.ts';
import { joinTransactions } from '../adapters/dynamodb/joinedWrites.ts';
import type { Table } from '../table.ts';

const joining: ReadonlySet<string> = new Set(['ingest', 'evaluate', 'evict', 'executor']);

export function tableFor(stage: string, table: Table): Table {
  return joining.has(stage) ? joinTransactions(joinReads(table)) : table;
}
