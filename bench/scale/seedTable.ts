// Fills the table with the rows that ingest and evaluate leave for an idle cluster, using ingest's own functions.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { createDynamoDbTable } from '../../lib/adapters/dynamodb/dynamoDbTable.ts';
import { localCredentials, localRegion } from '../../lib/local/aws/account.ts';
import type { ClusterId } from '../../lib/model/identity.ts';
import type { ObjectProjection } from '../../lib/model/projection.ts';
import { storeClaim } from '../../lib/state/claimRows.ts';
import { noDue } from '../../lib/state/dueIndex.ts';
import { registerIncarnation } from '../../lib/state/incarnationRows.ts';
import { storeRule } from '../../lib/state/ruleRows.ts';
import { storeClass } from '../../lib/state/ruleSetRows.ts';
import { storeSlice } from '../../lib/state/sliceRows.ts';
import type { State } from '../../lib/state/state.ts';
import { storePod } from '../../lib/state/storePod.ts';
import type { Row, Table, Write } from '../../lib/table.ts';

export interface Seeding {
  readonly endpoint: string;
  readonly tableName: string;
  readonly cluster: ClusterId;
}

/** Rows per transaction, as many as DynamoDB accepts. */
const batch = 100;
const sideBySide = 2;

/** Returns the number of written rows. */
export async function seedTable(of: Seeding, objects: Iterable<ObjectProjection>): Promise<number> {
  const client = new DynamoDBClient({ region: localRegion, credentials: localCredentials, endpoint: of.endpoint });
  const documents = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
  const real: State = { table: createDynamoDbTable(documents, of.tableName), cluster: of.cluster };
  await registerIncarnation(real, Date.now());
  const made: Row[] = [];
  const state: State = { table: emptyTable(made), cluster: of.cluster };
  let count = 0;
  const flush = async (least: number) => {
    while (made.length > least) {
      const batches = Array.from({ length: sideBySide }, () => made.splice(0, batch)).filter(
        ({ length }) => length > 0,
      );
      count += batches.reduce((sum, { length }) => sum + length, 0);
      await Promise.all(batches.map((rows) => put(real, rows)));
    }
  };
  for (const object of objects) {
    await store(state, object);
    await flush(batch * sideBySide);
  }
  await flush(0);
  client.destroy();
  return count;
}

async function store(state: State, object: ObjectProjection): Promise<unknown> {
  const how = { seen: { uid: object.uid, resourceVersion: object.resourceVersion }, now: Date.now() };
  switch (object.kind) {
    case 'Pod':
      return storePod(state, object, how);
    case 'ResourceClaim':
      return storeClaim(state, object, how);
    case 'ResourceSlice':
      return storeSlice(state, object, how);
    case 'DeviceTaintRule':
      return storeRule(state, object, how);
    case 'DeviceClass':
      return storeClass(state, object, how);
    default:
      return undefined;
  }
}

async function put({ table }: State, rows: readonly Row[]): Promise<void> {
  const written = await table.transact(rows.map((row) => ({ kind: 'Put', row })));
  if (written.kind !== 'Written') throw new Error(`the table did not take ${rows.length} rows: ${written.kind}`);
}

/** An empty table that collects written rows in `made`, in the state after all pending work is done. */
function emptyTable(made: Row[]): Table {
  const take = (write: Write) => {
    if (write.kind === 'Put') made.push(settled(write.row));
    return { kind: 'Written' } as const;
  };
  return {
    get: async () => undefined,
    getMany: async () => [],
    query: async () => ({ rows: [] }),
    queryDue: async () => ({ rows: [] }),
    queryHeads: async () => ({ rows: [] }),
    write: async (write) => take(write),
    async transact(writes) {
      for (const write of writes) take(write);
      return { kind: 'Written' };
    },
  };
}

function settled(row: Row): Row {
  const isOwed = (name: string) => name === 'dirty' || noDue.includes(name);
  return Object.fromEntries(Object.entries(row).filter(([name]) => !isOwed(name))) as Row;
}
