// State table: two string keys, TTL, and two sparse indexes: due rows, and heads of the mirror's rows.
import { RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, Billing, ProjectionType, TableEncryptionV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import { dueIndex, headIndex } from '../lib/contract.ts';
import type { SluiceProps } from './props.ts';

export function createStateTable(scope: Construct, props: SluiceProps): TableV2 {
  const removalPolicy = props.removalPolicy ?? RemovalPolicy.RETAIN;
  return new TableV2(scope, 'State', {
    partitionKey: { name: 'pk', type: AttributeType.STRING },
    sortKey: { name: 'sk', type: AttributeType.STRING },
    // Indexes are eventually consistent: readers of an entry read the row again or write conditionally.
    globalSecondaryIndexes: [
      {
        indexName: dueIndex.name,
        partitionKey: { name: dueIndex.partition, type: AttributeType.STRING },
        sortKey: { name: dueIndex.time, type: AttributeType.NUMBER },
        projectionType: ProjectionType.KEYS_ONLY,
      },
      {
        indexName: headIndex.name,
        partitionKey: { name: headIndex.partition, type: AttributeType.STRING },
        sortKey: { name: headIndex.sort, type: AttributeType.STRING },
        projectionType: ProjectionType.INCLUDE,
        nonKeyAttributes: [...headIndex.projected],
      },
    ],
    timeToLiveAttribute: 'ttl',
    billing: Billing.onDemand(),
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    deletionProtection: props.deletionProtection ?? removalPolicy !== RemovalPolicy.DESTROY,
    removalPolicy,
    ...(props.encryptionKey ? { encryption: TableEncryptionV2.customerManagedKey(props.encryptionKey) } : {}),
  });
}
