// The page that a local run shows beside its terminal; the command line, which has its code, starts it.
import type { State } from '../state/state.ts';
import type { ClusterProgress } from '../view/progress.ts';

export interface PageOf {
  readonly kubeconfig: string;
  /** Of the cluster, shown on every page. */
  readonly name: string;
  readonly read: () => Promise<ClusterProgress>;
  readonly state: () => Promise<State>;
  /** 0 takes a free one. */
  readonly port: number;
}

export type StartPage = (of: PageOf) => Promise<{ readonly url: string; stop(): Promise<void> }>;
