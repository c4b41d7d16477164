// Grants of each function: table actions, and queues that it sends to.
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { dueIndex, headIndex, type Stage } from '../lib/contract.ts';

export type FunctionName = Stage | 'sweep' | 'widget';

/**
 * Evict sends to its own queue at the end of its time, at most four times in a row. Ingest sends to its clusters' queues if a fan-out
 * outlasts an invocation; counting a cluster does so at most eight times. AWS Lambda's loop detection stops a chain after about
 * sixteen; then the sweep continues the work.
 */
export const sendsTo: Readonly<Record<FunctionName, readonly Exclude<Stage, 'ingest'>[]>> = {
  ingest: ['evaluate', 'evict', 'report'],
  evaluate: ['evict', 'report'],
  evict: ['evict', 'report'],
  report: [],
  sweep: ['evict', 'report'],
  widget: [],
};

export type TableAction = 'GetItem' | 'BatchGetItem' | 'Query' | 'PutItem' | 'UpdateItem' | 'DeleteItem';

/**
 * Actions of stages that process many pods concurrently and read rows in batches. Transactions are authorised by the writes in
 * them; no transaction of Sluice checks a row without writing it.
 */
const joining: readonly TableAction[] = ['BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'];

/** A test runs the complete path and compares the calls of each stage with this table. */
export const tableActions: Readonly<Record<FunctionName, readonly TableAction[]>> = {
  ingest: joining,
  evaluate: joining,
  evict: joining,
  report: ['BatchGetItem', 'DeleteItem', 'GetItem', 'Query', 'UpdateItem'],
  sweep: ['DeleteItem', 'GetItem', 'Query', 'UpdateItem'],
  widget: ['BatchGetItem', 'GetItem', 'Query'],
};

/** The index that a function queries. */
export const queriedIndex: Readonly<Partial<Record<FunctionName, string>>> = {
  sweep: dueIndex.name,
  ingest: headIndex.name,
};

/** AWS authorises batches by the action of their entries; emulators that enforce IAM require actions unknown to AWS. */
const emulatedBatches = { send: 'sqs:SendMessageBatch', return: 'sqs:ChangeMessageVisibilityBatch' } as const;

/** Actions of the event source mapping under the function's role, and of the function when it extends a visibility timeout. */
const consuming = ['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes', 'ChangeMessageVisibility'];

export function grantConsume(queue: IQueue, grantee: IGrantable, { emulator = false }: { emulator?: boolean }): void {
  const actions = consuming.map((action) => `sqs:${action}`);
  queue.grant(grantee, ...actions, ...(emulator ? [emulatedBatches.return] : []));
}

/** A customer-managed key is used on behalf of the table's caller. Listed without the wildcards of the CDK's own grant. */
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
  // The CDK's own grant would add every index with a wildcard.
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
