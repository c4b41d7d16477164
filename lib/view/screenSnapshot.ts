// Everything that one frame of a terminal shows, taken at one moment.
import type { Instant } from '../model/time.ts';
import type { ClusterProgress } from './progress.ts';

/** What the tutorial is doing now, and what to watch. */
export interface Chapter {
  readonly act: 1 | 2 | 3;
  readonly title: string;
  readonly watch: string;
  /** When something happens by itself. */
  readonly until?: Instant;
}

/** `ToEvict`: tainted and in use. `Evicting`: its pod is terminating. */
export type DeviceState = 'Free' | 'InUse' | 'Tainted' | 'ToEvict' | 'Evicting';

export interface FleetNode {
  readonly name: string;
  /** Nodes of one group are drawn side by side. */
  readonly group: string;
  readonly devices: readonly DeviceState[];
}

export interface FleetSnapshot {
  readonly nodes: readonly FleetNode[];
  readonly teams: readonly { readonly name: string; readonly running: number; readonly waiting: number }[];
}

/** What is done and what is left before the cluster is known. */
export interface Loading {
  readonly step: string;
  readonly done: number;
  /** 0: not known yet. */
  readonly of: number;
}

/** Text over the lower part of the screen. */
export interface Overlay {
  readonly title: string;
  readonly lines: readonly string[];
}

export interface ScreenSnapshot {
  readonly at: Instant;
  /** Absent once the cluster is known. */
  readonly loading?: Loading;
  readonly progress?: ClusterProgress;
  readonly fleet?: FleetSnapshot;
  readonly chapter?: Chapter;
  /** Everything is paused by a person. */
  readonly isPaused?: boolean;
  /** What the last key did. */
  readonly message?: string;
  readonly overlay?: Overlay;
  /** Keys, addresses. */
  readonly footer: readonly string[];
}
