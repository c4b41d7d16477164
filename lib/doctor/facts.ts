// Facts about an installation that the doctor checks; values as returned by AWS.
import type { Instant } from '../model/time.ts';

/** A requested value, or why it could not be read. */
export type Found<T> =
  | { readonly kind: 'Found'; readonly value: T }
  | { readonly kind: 'Missing'; readonly why: string };

export interface FunctionFacts {
  /** CloudFormation output that names it. */
  readonly output: string;
  readonly name: string;
  readonly state: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Event source mappings: ARN of the queue, and state such as `Enabled`. */
  readonly mappings: readonly { readonly queueArn: string; readonly state: string }[];
}

export interface QueueFacts {
  readonly output: string;
  readonly url: string;
  readonly arn: string;
  readonly waiting: number;
  /** Seconds. */
  readonly visibilityTimeout: number;
  /** Unreadable messages in the last hour; absent: unknown. */
  readonly poison?: number;
  /** Number of receive requests in the last 15 minutes; absent: unknown. */
  readonly receives?: number;
  /** ARN of its dead-letter queue. */
  readonly deadLetterQueue?: string;
}

export interface TableFacts {
  readonly name: string;
  readonly status: string;
  readonly timeToLive: string;
  readonly pointInTimeRecovery: string;
}

export interface ClusterFacts {
  readonly name: string;
  readonly endpoint: string;
  /** Time of the watcher's last heartbeat; absent: none yet. */
  readonly heardAt?: Instant;
  /** Objects too large to store, such as `ResourceClaim ml/a`. */
  readonly refused?: readonly string[];
  /** Response of EKS, for an EKS cluster. */
  readonly eks?: Found<{ readonly endpoint: string; readonly certificateAuthority: string; readonly version: string }>;
  readonly certificateAuthority?: string;
  /** The executor, for an outbound cluster. */
  readonly executor?: { readonly role?: Found<ExecutorRole> };
  /** Function roles without an access entry. */
  readonly withoutAccess: readonly string[];
}

export interface ExecutorRole {
  readonly arn: string;
  /** Trust policy as JSON. */
  readonly trust: string;
}

/** A resource that differs from the stack's template. */
export interface DriftedResource {
  readonly logicalId: string;
  readonly type: string;
  readonly isDeleted: boolean;
  readonly differences: readonly { readonly path: string; readonly expected: string; readonly actual: string }[];
}

export interface InstallationFacts {
  /** Absent if drift detection was not requested. */
  readonly drift?: Found<readonly DriftedResource[]>;
  readonly stack: string;
  readonly region: string;
  readonly account: Found<string>;
  readonly expectedAccount?: string;
  readonly status: Found<string>;
  readonly functions: readonly (Found<FunctionFacts> & { readonly output: string })[];
  readonly queues: readonly (Found<QueueFacts> & { readonly output: string; readonly url: string })[];
  readonly table: Found<TableFacts>;
  /** Why the functions' environment is unusable; absent if it is usable. */
  readonly environmentProblem?: string;
  readonly clusters: readonly ClusterFacts[];
  readonly now: Instant;
}
