// What an installation can choose.
import type { RemovalPolicy } from 'aws-cdk-lib';
import type { ISecurityGroup, IVpc, SubnetSelection } from 'aws-cdk-lib/aws-ec2';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { ClusterConnection, Stage, stageLimits } from '../lib/contract.ts';
import type { AlarmTargets } from './alarm.ts';

/** One cluster of an installation; its watcher sends to the queue `<stack>-ingest-<name>`. */
export interface ClusterProps extends ClusterConnection {
  /** Lower-case letters, digits and dashes, at most 40; part of queue names and of every key in the table. */
  readonly name: string;
  /** Role of the watcher (IRSA or Pod Identity): it may send to this cluster's queue. Default: nobody but this account's policies. */
  readonly watcherRoleArn?: string;
  /**
   * Role of the executor in a cluster with `auth: {kind: 'outbound'}` (IRSA or Pod Identity), of this account: a policy of the
   * stack lets it take that cluster's messages. Default: `Sluice.grantExecutor` does it.
   */
  readonly executorRoleArn?: string;
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

/** Choices of how objects are read; absent ones are as upstream has them (lib/model/snapshot.ts). */
export interface EvaluationSettings {
  /** `detect`, the default: where the API server serves PodGroups. */
  readonly workloadClaims?: boolean | 'detect';
  readonly extendedResourceClaims?: boolean;
  readonly nonPodConsumers?: boolean;
  readonly emptyEffectTolerates?: boolean;
  /** A rule whose selector is `{}` waits for an approval; true unless set (docs/pace.md). */
  readonly holdEmptySelector?: boolean;
  readonly releaseStaleConsumers?: boolean;
  /** Needs deploy/optional/projection-rbac.yaml; true unless set (docs/paced-taint-rules.md). */
  readonly projectRules?: boolean;
  /** `maxRules`: native rules of one PacedTaintRule at most, 0 to 10000; 256 unless set. Beyond it none is projected. */
  readonly projection?: { readonly maxRules: number };
}

export const logLevels = ['DEBUG', 'INFO', 'WARN', 'ERROR'] as const;
export type LogLevel = (typeof logLevels)[number];

export type StageLimits = (typeof stageLimits)[Stage];

export interface SluiceProps extends AlarmTargets {
  /** At least one; up to about sixty with certificate authorities of a kilobyte. */
  readonly clusters: readonly ClusterProps[];
  /** Default: outside any VPC, for API servers with public endpoints. */
  readonly network?: NetworkProps;
  /** What happens to the table when the stack goes. Default: it stays. */
  readonly removalPolicy?: RemovalPolicy;
  /** Default: on, unless the table goes with the stack. */
  readonly deletionProtection?: boolean;
  /** Customer-managed key of the table. Default: a key that AWS owns. */
  readonly encryptionKey?: IKey;
  /** Default: two weeks. */
  readonly logRetention?: RetentionDays;
  /** Default: INFO. */
  readonly logLevel?: LogLevel;
  readonly settings?: EvaluationSettings;
  /** Replaces single limits of single stages. Defaults: `stageLimits` of lib/contract.ts. */
  readonly limits?: Partial<Record<Stage, Partial<StageLimits>>>;
  /**
   * Seconds before an unfinished message comes back. Default: six times the stage's time-out, as AWS advises. A shorter
   * one is for tests that wait for a redelivery; it also shortens the time-outs that would exceed it.
   */
  readonly visibilityTimeout?: number;
  /** Receives before a message is set aside. Default: 5. */
  readonly maxReceiveCount?: number;
  /** Refuse plain HTTP to the queues. Default: yes; emulators without TLS need no. */
  readonly enforceSSL?: boolean;
  /** Also grants the name under which emulators authorise batches of messages. Default: no; AWS does not know it. */
  readonly emulator?: boolean;
}
