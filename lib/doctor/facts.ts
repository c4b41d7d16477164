// What the doctor knows of an installation before it judges it; values as AWS gave them.
import type { Instant } from '../model/time.ts';

/** A thing that was asked for, or why it could not be had. */
export type Found<T> =
  | { readonly kind: 'Found'; readonly value: T }
  | { readonly kind: 'Missing'; readonly why: string };

export interface FunctionFacts {
  /** CloudFormation output that names it. */
  readonly output: string;
  readonly name: string;
  readonly state: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Of its event source mappings: ARN of the queue, and `Enabled` or another state. */
  readonly mappings: readonly { readonly queueArn: string; readonly state: string }[];
}

export interface QueueFacts {
  readonly output: string;
  readonly url: string;
  readonly arn: string;
  readonly waiting: number;
  /** Seconds. */
  readonly visibilityTimeout: number;
  /** Messages of the last hour that could not be read; absent: not known. */
  readonly poison?: number;
  /** Times that it was asked for messages in the last quarter of an hour; absent: not known. */
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
  /** When the watcher's last heartbeat was sent; absent: never. */
  readonly heardAt?: Instant;
  /** Objects that are too large to be kept, `ResourceClaim ml/a`. */
  readonly refused?: readonly string[];
  /** What EKS says of it, where it is one. */
  readonly eks?: Found<{ readonly endpoint: string; readonly certificateAuthority: string; readonly version: string }>;
  readonly certificateAuthority?: string;
  /** Who evicts from within, where no function does. */
  readonly executor?: { readonly role?: Found<ExecutorRole> };
  /** Roles of functions that have no access entry. */
  readonly withoutAccess: readonly string[];
}

export interface ExecutorRole {
  readonly arn: string;
  /** Its trust policy, JSON. */
  readonly trust: string;
}

/** A resource that is not as the stack's template has it. */
export interface DriftedResource {
  readonly logicalId: string;
  readonly type: string;
  readonly isDeleted: boolean;
  readonly differences: readonly { readonly path: string; readonly expected: string; readonly actual: string }[];
}

export interface InstallationFacts {
  /** Absent where it was not asked. */
  readonly drift?: Found<readonly DriftedResource[]>;
  readonly stack: string;
  readonly region: string;
  readonly account: Found<string>;
  readonly expectedAccount?: string;
  readonly status: Found<string>;
  readonly functions: readonly (Found<FunctionFacts> & { readonly output: string })[];
  readonly queues: readonly (Found<QueueFacts> & { readonly output: string; readonly url: string })[];
  readonly table: Found<TableFacts>;
  /** Why the functions' environment cannot be used, where it cannot. */
  readonly environmentProblem?: string;
  readonly clusters: readonly ClusterFacts[];
  readonly now: Instant;
}
