// One request for an action with all that it needs.
import type { ActionRequest } from '../../view/console/act.ts';
import type { OpenCluster } from '../cluster/open.ts';
import type { Io } from '../io.ts';

export interface Acting {
  readonly cluster: OpenCluster;
  readonly io: Io;
  readonly request: ActionRequest;
  /** What was typed: `why`, `rate`, `taint`. */
  readonly fields: Readonly<Record<string, string>>;
}
