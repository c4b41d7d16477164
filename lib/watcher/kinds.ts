// The kinds that the watcher follows, and where an API server may serve them.
import {
  claimResource,
  classResource,
  namespaceResource,
  pacedRuleResource,
  podResource,
  policyResource,
  type Resource,
  ruleResource,
  sliceResource,
  taintSliceResource,
} from '../adapters/kubernetes/servedVersion.ts';
import type { ObjectKind } from '../model/projection.ts';

export interface KindSource {
  readonly kind: ObjectKind;
  readonly resource: Resource;
}

export const kindSources: readonly KindSource[] = [
  { kind: 'ResourceSlice', resource: sliceResource },
  { kind: 'DeviceTaintSlice', resource: taintSliceResource },
  { kind: 'DeviceClass', resource: classResource },
  { kind: 'DeviceTaintRule', resource: ruleResource },
  { kind: 'Namespace', resource: namespaceResource },
  { kind: 'EvictionPolicy', resource: policyResource },
  { kind: 'PacedTaintRule', resource: pacedRuleResource },
  { kind: 'ResourceClaim', resource: claimResource },
  { kind: 'Pod', resource: podResource },
];

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
}

export function createKindState(kind: ObjectKind): KindState {
  return { kind, phase: 'Starting', version: undefined, problem: undefined, objects: 0, lists: 0, unreadable: 0 };
}

/** Nothing of this kind is being missed. */
export function isEstablished(state: KindState): boolean {
  return state.phase === 'Watching' || state.phase === 'NotServed';
}
