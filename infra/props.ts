// Properties of the construct.
import type { RemovalPolicy } from 'aws-cdk-lib';
import type { ISecurityGroup, IVpc, SubnetSelection } from 'aws-cdk-lib/aws-ec2';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { LogLevel } from '../lib/config/schema.ts';
import type { ChosenSettings } from '../lib/config/settings.ts';
import type { ClusterConnection, Stage, stageLimits } from '../lib/contract.ts';
import type { WorkloadIdentity } from '../lib/outputs.ts';
import type { AlarmTargets } from './alarm.ts';

/** One cluster of an installation; its watcher sends to the queue `<stack>-ingest-<name>`. */
export interface ClusterProps extends ClusterConnection {
  /** Lower-case letters, digits and dashes, at most 40; part of queue names and of every key in the table. */
  readonly name: string;
  /** Role of the watcher (IRSA or Pod Identity), which may send to this cluster's queue. Default: only by policies of this account. */
  readonly watcherRoleArn?: string;
  /**
   * Role of the executor in a cluster with `auth: {kind: 'outbound'}` (IRSA or Pod Identity), in this account: a policy of the
   * stack lets it receive that cluster's messages. Default: none; call `Sluice.grantExecutor`.
   */
  readonly executorRoleArn?: string;
  /**
   * Creates the roles of watcher and executor instead of `watcherRoleArn` and `executorRoleArn`, and with `podIdentity` the
   * associations of their service accounts in the namespace `sluice`. Default: no roles are created.
   */
  readonly workloadIdentity?: WorkloadIdentity;
  /**
   * Creates EKS access entries that map the roles of evict and report to the Kubernetes group `sluice`
   * (deploy/manifests/functions-rbac.yaml). The EKS cluster must be in this account and region and have authentication mode `API`
   * or `API_AND_CONFIG_MAP`. Default: false; create them by hand.
   */
  readonly accessEntry?: boolean;
}

/** Network of the functions that call API servers. */
export interface NetworkProps {
  /** Needs access to DynamoDB, SQS and X-Ray, through endpoints or a NAT. */
  readonly vpc: IVpc;
  /** Default: the VPC's private subnets. */
  readonly subnets?: SubnetSelection;
  /** The API servers must allow them on port 443. Default: a new one per function. */
  readonly securityGroups?: ISecurityGroup[];
}

export type StageLimits = (typeof stageLimits)[Stage];

export interface SluiceProps extends AlarmTargets {
  /** At least one; at most about sixty with CAs of one kilobyte. */
  readonly clusters: readonly ClusterProps[];
  /** Default: outside any VPC, for API servers with public endpoints. */
  readonly network?: NetworkProps;
  /** Removal policy of table and queues. Default: RETAIN. */
  readonly removalPolicy?: RemovalPolicy;
  /** Deletion protection of the table. Default: true, unless `removalPolicy` is DESTROY. */
  readonly deletionProtection?: boolean;
  /** Customer-managed key of the table. Default: a key that AWS owns. */
  readonly encryptionKey?: IKey;
  /** Default: two weeks. */
  readonly logRetention?: RetentionDays;
  /** Default: INFO. */
  readonly logLevel?: LogLevel;
  /** Settings. Default: like upstream (docs/reference/configuration.md). */
  readonly settings?: ChosenSettings;
  /** Days for which eviction records are kept. Default: 90. */
  readonly recordDays?: number;
  /** Overrides single limits of stages. Defaults: `stageLimits` of lib/contract.ts. */
  readonly limits?: Readonly<Partial<Record<Stage, Readonly<Partial<StageLimits>>>>>;
  /**
   * Visibility timeout in seconds. Default: six times the stage's timeout, as AWS recommends. Shorter values are for tests that
   * wait for a redelivery; they also shorten timeouts that would exceed them.
   */
  readonly visibilityTimeout?: number;
  /** Receives before a message is set aside. Default: 8. */
  readonly maxReceiveCount?: number;
  /** Refuse plain HTTP to the queues. Default: true; use false for emulators without TLS. */
  readonly enforceSSL?: boolean;
  /** Also grants the batch actions that emulators require. Default: false; these actions are unknown to AWS. */
  readonly emulator?: boolean;
}
