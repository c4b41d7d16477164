// Data of one terminal frame, all of the same moment.
import type { Instant } from '../model/time.ts';
import type { ClusterProgress } from './progress.ts';

/** Current step of the tutorial and what to watch. */
export interface Chapter {
  readonly act: 1 | 2 | 3;
  readonly title: string;
  readonly watch: string;
  /** When the tutorial continues by itself. */
  readonly until?: Instant;
}

/** `ToEvict`: in use, with a NoExecute taint. `Tainted`: with a NoSchedule taint, or not in use. `Evicting`: its pod is terminating. */
export type DeviceState = 'Free' | 'InUse' | 'Tainted' | 'ToEvict' | 'Evicting';

export interface FleetNode {
  readonly name: string;
  /** Nodes of a group are drawn side by side. */
  readonly group: string;
  readonly devices: readonly DeviceState[];
}

export interface FleetSnapshot {
  readonly nodes: readonly FleetNode[];
  readonly teams: readonly { readonly name: string; readonly running: number; readonly waiting: number }[];
  /** Newer than the numbers of the same frame, so that its devices are not counted. */
  readonly isCounting?: boolean;
}

/** Progress of loading, before the cluster is known. */
export interface Loading {
  readonly step: string;
  readonly done: number;
  /** Number of steps; 0: unknown. */
  readonly of: number;
}

/** Text over the lower part of the screen. */
export interface Overlay {
  readonly title: string;
  readonly lines: readonly string[];
  /** Index of the first line shown; 0 if absent. */
  readonly from?: number;
}

export interface ScreenSnapshot {
  readonly at: Instant;
  /** Absent once the cluster is known. */
  readonly loading?: Loading;
  readonly progress?: ClusterProgress;
  readonly fleet?: FleetSnapshot;
  readonly chapter?: Chapter;
  /** What pauses all evictions, by whom and since when: `EvictionStop a (why; by b at c)`. */
  readonly pausedBy?: string;
  /** Namespaces whose pods are not evicted: `serving (manual)`; none if absent. */
  readonly pausedNamespaces?: readonly string[];
  /** Result of the last key press, or an error. */
  readonly message?: string;
  readonly overlay?: Overlay;
  /** Key bindings and addresses. */
  readonly footer: readonly string[];
}
