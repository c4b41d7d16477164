// The state table: two text keys, expiry, no index; and the grants that functions get on it.
import { RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, Billing, TableEncryptionV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { IGrantable } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import type { SluiceProps } from './props.ts';

/** The due index lies in the limiters' partitions, so there is no secondary index to lag or to throttle the table. */
export function createStateTable(scope: Construct, props: SluiceProps): TableV2 {
  const removalPolicy = props.removalPolicy ?? RemovalPolicy.RETAIN;
  return new TableV2(scope, 'State', {
    partitionKey: { name: 'pk', type: AttributeType.STRING },
    sortKey: { name: 'sk', type: AttributeType.STRING },
    timeToLiveAttribute: 'ttl',
    billing: Billing.onDemand(),
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    deletionProtection: props.deletionProtection ?? removalPolicy !== RemovalPolicy.DESTROY,
    removalPolicy,
    ...(props.encryptionKey ? { encryption: TableEncryptionV2.customerManagedKey(props.encryptionKey) } : {}),
  });
}

/** Exactly the calls of lib/adapters/dynamodb; transactions are authorised by the actions inside them. */
const actions = ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'];

export function grantState(table: TableV2, grantee: IGrantable): void {
  table.grant(grantee, ...actions.map((action) => `dynamodb:${action}`));
}
