// Taints that an agent other than the driver puts on devices of one pool.
import type { Uid } from './identity.ts';
import type { ObjectMeta, SpecAuthor } from './objects.ts';
import type { PacedTaint, SeenTaint } from './rule.ts';

/** spec.taints[] of a DeviceTaintSlice. */
export interface TaintSliceEntry {
  readonly device: string;
  readonly taint: PacedTaint;
}

/** DeviceTaintSlice of sluice.dev/v1alpha1. */
export interface DeviceTaintSlice extends ObjectMeta {
  readonly kind: 'DeviceTaintSlice';
  readonly generation: number;
  readonly driver: string;
  readonly pool: string;
  /** spec.generation: of the pool that the agent saw; entries count only while the pool's newest one is not higher. */
  readonly poolGeneration?: number;
  readonly taints: readonly TaintSliceEntry[];
  readonly author?: SpecAuthor;
  /** What its status says; absent before the first time. */
  readonly counts?: TaintSliceCounts;
  /** status.taints. */
  readonly seen: readonly (SeenTaint & { readonly device: string })[];
}

/** What a person reads in its status. */
export interface TaintSliceCounts {
  readonly staleEntries: number;
  readonly unknownDevices: number;
}

const prefix = 'DeviceTaintSlice/';

/** A slice whose status is asked for; with the UID, what was written for that one is removed once it is gone. */
export interface TaintSliceReport {
  readonly name: string;
  readonly uid?: Uid;
}

/** Under which name its status is asked for, among rules of all kinds; no rule's name and no UID holds a slash. */
export function taintSliceRef(name: string, uid?: Uid): string {
  return uid === undefined ? `${prefix}${name}` : `${prefix}${name}/${uid}`;
}

/** `undefined` for the ref of a rule. */
export function parseTaintSliceRef(ref: string): TaintSliceReport | undefined {
  if (!ref.startsWith(prefix)) return undefined;
  // Stryker disable next-line StringLiteral: there is a part before any slash
  const [name = '', uid] = ref.slice(prefix.length).split('/');
  return uid === undefined ? { name } : { name, uid };
}
