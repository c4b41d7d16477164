// Interface of the local page, which the command line implements and starts.
import type { State } from '../state/state.ts';
import type { ProgressReader } from '../view/readModel.ts';

export interface PageOf {
  readonly kubeconfig: string;
  /** Name of the cluster, shown on every page. */
  readonly name: string;
  readonly read: ProgressReader;
  readonly state: () => Promise<State>;
  /** 0: any free port. */
  readonly port: number;
}

export type StartPage = (of: PageOf) => Promise<{ readonly url: string; stop(): Promise<void> }>;
