// What an installation can choose.
import type { RemovalPolicy } from 'aws-cdk-lib';
import type { IAlarmAction } from 'aws-cdk-lib/aws-cloudwatch';
import type { ISecurityGroup, IVpc, SubnetSelection } from 'aws-cdk-lib/aws-ec2';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { ClusterConnection, Stage } from '../lib/contract.ts';

/** One cluster of an installation; its ingest queue is named `<stack>-ingest-<name>`. */
export interface ClusterProps extends ClusterConnection {
  /** Lower-case letters, digits and dashes, at most 40; part of queue names and of every key in the table. */
  readonly name: string;
}

export interface SluiceProps {
  readonly clusters: readonly ClusterProps[];
  /** Where the functions that call API servers run; absent: outside any VPC, for public endpoints. */
  readonly network?: {
    readonly vpc: IVpc;
    readonly subnets?: SubnetSelection;
    readonly securityGroups?: ISecurityGroup[];
  };
  /** What happens to the table with the stack. Default: kept. */
  readonly removalPolicy?: RemovalPolicy;
  /** Default: on, unless the table is to be destroyed with the stack. */
  readonly deletionProtection?: boolean;
  /** Customer-managed key of the table. Default: a key owned by AWS. */
  readonly encryptionKey?: IKey;
  /** Default: two weeks. */
  readonly logRetention?: RetentionDays;
  /** `DEBUG`, `INFO`, `WARN` or `ERROR`. Default: INFO. */
  readonly logLevel?: string;
  /** Told when an alarm rings, such as an SNS topic's action. */
  readonly alarmActions?: readonly IAlarmAction[];
  /** Parallel invocations per stage, 2 to 1000 (AWS Lambda event source mapping). Default: lib/contract.ts. */
  readonly maxConcurrency?: Partial<Record<Stage, number>>;
  /** Seconds before an unfinished message comes back. Default: six times the function's time-out. */
  readonly visibilityTimeout?: number;
  /** Receives before a message is set aside. Default: 5. */
  readonly maxReceiveCount?: number;
  /** Refuse plain HTTP to the queues. Default: yes; emulators without TLS need no. */
  readonly enforceSSL?: boolean;
}
