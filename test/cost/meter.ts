// Counts the units that DynamoDB charges for calls of the table, by its rules for on-demand capacity.
import type { Row, Table, Write } from '../../lib/table.ts';

export interface Units {
  /** Write request units: 1 KB each, twice in a transaction; a lost condition is charged as well. */
  writes: number;
  /** Read request units: 4 KB each, strongly consistent. */
  reads: number;
}

export function meteredTable(table: Table, units: Units): Table {
  const written = (write: Write, factor: number) => {
    units.writes += factor * Math.max(1, Math.ceil(bytesOf(write.kind === 'Put' ? write.row : rowOf(write)) / 1024));
  };
  /** An update is charged by the size of the whole updated row; rows of pods and claims stay below 2 KB. */
  const rowOf = (write: Exclude<Write, { kind: 'Put' }>) => ({ ...write.key, ...known.get(idOf(write.key)) });
  const known = new Map<string, Row>();
  const idOf = ({ pk, sk }: { pk: string; sk: string }) => `${pk}\n${sk}`;
  const read = (rows: readonly Row[], each: boolean) => {
    for (const row of rows) known.set(idOf(row), row);
    const sizes = rows.map(bytesOf);
    if (each) for (const size of sizes) units.reads += Math.max(1, Math.ceil(size / 4096));
    else units.reads += Math.max(1, Math.ceil(sizes.reduce((sum, size) => sum + size, 0) / 4096));
  };
  return {
    async get(key) {
      const row = await table.get(key);
      read(row ? [row] : [{ ...key }], true);
      return row;
    },
    async getMany(keys) {
      const rows = await table.getMany(keys);
      read(rows, true);
      units.reads += Math.max(0, keys.length - rows.length);
      return rows;
    },
    async query(range) {
      const page = await table.query(range);
      read(page.rows, false);
      return page;
    },
    async queryDue(range) {
      const page = await table.queryDue(range);
      // Eventually consistent: half of a strongly consistent read.
      units.reads += Math.max(1, Math.ceil(page.rows.reduce((sum, row) => sum + bytesOf(row), 0) / 4096)) / 2;
      return page;
    },
    async queryHeads(range) {
      const page = await table.queryHeads(range);
      units.reads += Math.max(1, Math.ceil(page.rows.reduce((sum, row) => sum + bytesOf(row), 0) / 4096)) / 2;
      return page;
    },
    async write(write) {
      const result = await table.write(write);
      if (result.row) known.set(idOf(result.row), result.row);
      written(write, 1);
      return result;
    },
    async transact(writes) {
      const result = await table.transact(writes);
      for (const write of writes) written(write, 2);
      return result;
    },
  };
}

function bytesOf(row: object): number {
  return Buffer.byteLength(JSON.stringify(row));
}
