// The kinds that the watcher follows, and where an API server may serve them.
import { type Resource, resources } from '../adapters/kubernetes/servedVersion.ts';
import type { ObjectKind } from '../model/projection.ts';

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

/** How one kind is being followed; read by heartbeats, probes and metrics. */
export interface KindState {
  readonly kind: ObjectKind;
  /**
   * `Watching`: listed completely and watched, so that what is sent is the truth, give or take the time to send it.
   * `NotServed`: this API server has no such API; it is asked again each minute.
   */
  phase: 'Starting' | 'Listing' | 'Watching' | 'NotServed' | 'Waiting';
  /** The API version that is watched. */
  version: string | undefined;
  /** Why it is waiting, with a remedy. */
  problem: string | undefined;
  objects: number;
  lists: number;
  unreadable: number;
  /** The API server shows lower versions than it has shown to this process. */
  wentBack: boolean;
}

export function createKindState(kind: ObjectKind): KindState {
  return {
    kind,
    phase: 'Starting',
    version: undefined,
    problem: undefined,
    objects: 0,
    lists: 0,
    unreadable: 0,
    wentBack: false,
  };
}

/** Nothing of this kind is being missed. */
export function isEstablished(state: KindState): boolean {
  return state.phase === 'Watching' || state.phase === 'NotServed';
}
