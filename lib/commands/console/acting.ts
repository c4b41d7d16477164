// One action request with everything needed to perform it.
import type { Json } from '../../adapters/kubernetes/read.ts';
import type { ActionRequest } from '../../view/console/act.ts';
import type { OpenCluster } from '../cluster/open.ts';
import type { Io } from '../io.ts';
import { authorIn } from '../pause/author.ts';

export interface Acting {
  readonly cluster: OpenCluster;
  readonly io: Io;
  readonly request: ActionRequest;
  /** Values of the form fields: `why`, `rate`, `taint`, `digests`. */
  readonly fields: Readonly<Record<string, string>>;
  /** Rules and policies with their conditions. */
  readonly objects?: readonly Json[];
  /** Pauses of the state table that hold the cluster, in words. */
  readonly paused?: string;
  /** How many kinds of objects of the cluster are read; absent once all are, so that pods can be counted. */
  readonly reading?: { readonly done: number; readonly of: number };
}

/** Who pauses or approves. */
export function callerOf({ cluster, io }: Acting): Promise<string> {
  return authorIn(cluster, io, ({ env }) => env.USER || 'console');
}
