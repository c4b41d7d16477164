// The state table: two text keys, expiry, no index.
import { RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, Billing, ContributorInsightsMode, TableEncryptionV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
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
    // Two rules, one per key; no events until a key is throttled, and then they name the hot partition.
    contributorInsightsSpecification: { enabled: true, mode: ContributorInsightsMode.THROTTLED_KEYS },
    deletionProtection: props.deletionProtection ?? removalPolicy !== RemovalPolicy.DESTROY,
    removalPolicy,
    ...(props.encryptionKey ? { encryption: TableEncryptionV2.customerManagedKey(props.encryptionKey) } : {}),
  });
}
