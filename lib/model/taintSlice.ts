// DeviceTaintSlice: taints that an agent other than the driver sets on the devices of one pool.
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
  /** spec.generation: the pool generation that the agent saw. Entries count only while the pool's newest generation is not higher. */
  readonly poolGeneration?: number;
  readonly taints: readonly TaintSliceEntry[];
  readonly author?: SpecAuthor;
  /** Counts in its status; absent until they are first written. */
  readonly counts?: TaintSliceCounts;
  /** status.taints. */
  readonly seen: readonly (SeenTaint & { readonly device: string })[];
}

/** The counts shown in the slice's status. */
export interface TaintSliceCounts {
  readonly staleEntries: number;
  readonly unknownDevices: number;
}

const prefix = 'DeviceTaintSlice/';

/** A slice whose status is requested. With a UID, what Sluice wrote for that slice is removed after the slice is deleted. */
export interface TaintSliceReport {
  readonly name: string;
  readonly uid?: Uid;
}

/** Ref under which the slice's status is requested, among rules of all kinds; rule names and UIDs contain no slash. */
export function taintSliceRef(name: string, uid?: Uid): string {
  return uid === undefined ? `${prefix}${name}` : `${prefix}${name}/${uid}`;
}

/** `undefined` for the ref of a rule. */
export function parseTaintSliceRef(ref: string): TaintSliceReport | undefined {
  if (!ref.startsWith(prefix)) return undefined;
  // Stryker disable next-line StringLiteral: split always gives a first part
  const [name = '', uid] = ref.slice(prefix.length).split('/');
  return uid === undefined ? { name } : { name, uid };
}
