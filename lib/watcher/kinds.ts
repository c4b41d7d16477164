// The kinds that the watcher follows, and the API groups and versions that may serve them.
import { type Resource, resources } from '../adapters/kubernetes/servedVersion.ts';
import type { ObjectKind } from '../model/projection.ts';
import type { Instant } from '../model/time.ts';

export interface KindSource {
  readonly kind: ObjectKind;
  readonly resource: Resource;
}

const kinds: readonly ObjectKind[] = [
  'ResourceSlice',
  'DeviceTaintSlice',
  'DeviceClass',
  'DeviceTaintRule',
  'Namespace',
  'EvictionPolicy',
  'PacedTaintRule',
  'ResourceClaim',
  'Pod',
];

export const kindSources: readonly KindSource[] = kinds.map((kind) => ({ kind, resource: resources[kind] }));

/** State of following one kind; read by heartbeats, probes and metrics. */
export interface KindState {
  readonly kind: ObjectKind;
  /**
   * `Watching`: listed completely and watched, so the messages reflect the cluster, apart from the sending time. `NotServed`: this API
   * server does not serve the API; it is checked again every minute.
   */
  phase: 'Starting' | 'Listing' | 'Watching' | 'NotServed' | 'Waiting';
  /** The API version that is watched. */
  version: string | undefined;
  /** Why the follower is waiting, with a remedy. */
  problem: string | undefined;
  /** When the problem began. */
  problemSince: Instant | undefined;
  objects: number;
  lists: number;
  unreadable: number;
  /** The API server returns lower versions than this process has seen. */
  wentBack: boolean;
}

export function createKindState(kind: ObjectKind): KindState {
  return {
    kind,
    phase: 'Starting',
    version: undefined,
    problem: undefined,
    problemSince: undefined,
    objects: 0,
    lists: 0,
    unreadable: 0,
    wentBack: false,
  };
}

/** No change of this kind is missed. */
export function isEstablished(state: KindState): boolean {
  return state.phase === 'Watching' || state.phase === 'NotServed';
}
