// What each function may do: the calls it makes on the table, and the queues it sends to.
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { dueIndex, headIndex, type Stage } from '../lib/contract.ts';

export type FunctionName = Stage | 'sweep' | 'widget';

/**
 * Evict sends to its own queue at the end of its time, four times in a row at most. Ingest sends to its clusters' own where a fan-out
 * outlasts an invocation; counts of a cluster do so eight times at most. AWS Lambda stops a chain after about sixteen; the sweep
 * continues what was stopped.
 */
export const sendsTo: Readonly<Record<FunctionName, readonly Exclude<Stage, 'ingest'>[]>> = {
  ingest: ['evaluate', 'evict', 'report'],
  evaluate: ['evict', 'report'],
  evict: ['evict', 'report'],
  report: [],
  sweep: ['evaluate', 'evict', 'report'],
  widget: [],
};

export type TableAction = 'GetItem' | 'BatchGetItem' | 'Query' | 'PutItem' | 'UpdateItem' | 'DeleteItem';

/**
 * Of stages that work on many pods side by side, and read rows in batches only. Transactions are authorised by the writes inside
 * them; none of ours checks a row without writing it.
 */
const joining: readonly TableAction[] = ['BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'];

/** A test plays the path and compares what each stage calls with this table. */
export const tableActions: Readonly<Record<FunctionName, readonly TableAction[]>> = {
  ingest: joining,
  evaluate: joining,
  evict: joining,
  report: ['BatchGetItem', 'DeleteItem', 'GetItem', 'Query', 'UpdateItem'],
  sweep: ['BatchGetItem', 'DeleteItem', 'GetItem', 'Query', 'PutItem', 'UpdateItem'],
  widget: ['BatchGetItem', 'GetItem', 'Query'],
};

/** The index that a function queries. */
export const queriedIndex: Readonly<Partial<Record<FunctionName, string>>> = {
  sweep: dueIndex.name,
  ingest: headIndex.name,
};

/** AWS authorises a batch by the action of its entries; emulators that enforce IAM ask for names that AWS does not know. */
const emulatedBatches = { send: 'sqs:SendMessageBatch', return: 'sqs:ChangeMessageVisibilityBatch' } as const;

/** What the event source mapping does under the function's role, and the function itself where a message is to rest for longer. */
const consuming = ['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes', 'ChangeMessageVisibility'];

export function grantConsume(queue: IQueue, grantee: IGrantable, { emulator = false }: { emulator?: boolean }): void {
  const actions = consuming.map((action) => `sqs:${action}`);
  queue.grant(grantee, ...actions, ...(emulator ? [emulatedBatches.return] : []));
}

/** A customer's key is used on behalf of the table's caller; named one by one, where CDK's own grant has wildcards. */
const keyActions = ['Decrypt', 'DescribeKey', 'Encrypt', 'GenerateDataKey', 'ReEncryptFrom', 'ReEncryptTo'];

export function grantSend(queue: IQueue, grantee: IGrantable, { emulator = false }: { emulator?: boolean }): void {
  queue.grant(grantee, 'sqs:SendMessage', ...(emulator ? [emulatedBatches.send] : []));
}

export function grantTable(
  table: TableV2,
  grantee: IGrantable,
  by: { readonly name: FunctionName; readonly key: IKey | undefined },
): void {
  const actions = tableActions[by.name].map((action) => `dynamodb:${action}`);
  // CDK's own grant would add every index, by a wildcard.
  Grant.addToPrincipal({ grantee, actions, resourceArns: [table.tableArn] });
  const index = queriedIndex[by.name];
  if (index !== undefined) {
    const resourceArns = [`${table.tableArn}/index/${index}`];
    Grant.addToPrincipal({ grantee, actions: ['dynamodb:Query'], resourceArns });
  }
  grantKey(by.key, grantee);
}

export function grantKey(key: IKey | undefined, grantee: IGrantable): void {
  key?.grant(grantee, ...keyActions.map((action) => `kms:${action}`));
}
