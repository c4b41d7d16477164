// What an installation can choose.
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
  /** Role of the watcher (IRSA or Pod Identity): it may send to this cluster's queue. Default: only by this account's policies. */
  readonly watcherRoleArn?: string;
  /**
   * Role of the executor in a cluster with `auth: {kind: 'outbound'}` (IRSA or Pod Identity), of this account: a policy of the
   * stack lets it take that cluster's messages. Default: `Sluice.grantExecutor` does it.
   */
  readonly executorRoleArn?: string;
  /**
   * Makes the roles of watcher and executor, in place of `watcherRoleArn` and `executorRoleArn`, and with `podIdentity` the
   * associations of their service accounts in the namespace `sluice`. Default: no roles are made.
   */
  readonly workloadIdentity?: WorkloadIdentity;
  /**
   * Makes EKS access entries that put the roles of evict and report into the Kubernetes group `sluice`
   * (deploy/manifests/functions-rbac.yaml). The EKS cluster is of this account and region and has authentication mode `API` or
   * `API_AND_CONFIG_MAP`. Default: no; they are made by hand.
   */
  readonly accessEntry?: boolean;
}

/** Where the functions that call API servers run. */
export interface NetworkProps {
  /** Needs a way to DynamoDB, SQS and X-Ray: endpoints or a NAT. */
  readonly vpc: IVpc;
  /** Default: the VPC's private subnets. */
  readonly subnets?: SubnetSelection;
  /** Must be let in at port 443 of the API servers. Default: a new one per function. */
  readonly securityGroups?: ISecurityGroup[];
}

export type StageLimits = (typeof stageLimits)[Stage];

export interface SluiceProps extends AlarmTargets {
  /** At least one; up to about sixty with certificate authorities of a kilobyte. */
  readonly clusters: readonly ClusterProps[];
  /** Default: outside any VPC, for API servers with public endpoints. */
  readonly network?: NetworkProps;
  /** What happens to the table and the queues when they leave the stack. Default: they are retained. */
  readonly removalPolicy?: RemovalPolicy;
  /** DynamoDB refuses to delete the table. Default: true, unless `removalPolicy` is DESTROY. */
  readonly deletionProtection?: boolean;
  /** Customer-managed key of the table. Default: a key that AWS owns. */
  readonly encryptionKey?: IKey;
  /** Default: two weeks. */
  readonly logRetention?: RetentionDays;
  /** Default: INFO. */
  readonly logLevel?: LogLevel;
  /** How objects are read. Default: as upstream reads them (docs/reference/configuration.md). */
  readonly settings?: ChosenSettings;
  /** Days for which the table keeps records of evictions. Default: 90. */
  readonly recordDays?: number;
  /** Replaces single limits of single stages. Defaults: `stageLimits` of lib/contract.ts. */
  readonly limits?: Readonly<Partial<Record<Stage, Readonly<Partial<StageLimits>>>>>;
  /**
   * Seconds before an unfinished message comes back. Default: six times the stage's time-out, as AWS advises. A shorter
   * one is for tests that wait for a redelivery; it also shortens the time-outs that would exceed it.
   */
  readonly visibilityTimeout?: number;
  /** Receives before a message is set aside. Default: 8. */
  readonly maxReceiveCount?: number;
  /** Refuse plain HTTP to the queues. Default: yes; emulators without TLS need no. */
  readonly enforceSSL?: boolean;
  /** Also grants the name under which emulators authorise batches of messages. Default: no; AWS does not know it. */
  readonly emulator?: boolean;
}
