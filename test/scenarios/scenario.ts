// A scenario: a history of changes in steps, and the expected state after each of them.
import type { DeviceTaint, DeviceToleration } from '../../lib/model/objects.ts';
import type { ObjectProjection } from '../../lib/model/projection.ts';
import type { Settings } from '../../lib/model/snapshot.ts';
import type { ApiFailure } from '../../lib/ports.ts';

/** A change of one object, in the order of the API server; the watch may report it in any other. */
export interface Event {
  readonly type: 'Put' | 'Remove';
  readonly object: ObjectProjection;
}

export function put(object: ObjectProjection): Event {
  return { type: 'Put', object };
}

export function remove(object: ObjectProjection): Event {
  return { type: 'Remove', object };
}

/** Counts and lists are totals since the start. What is left out is expected to be empty or zero. */
export interface Expectation {
  /** Names of deleted pods, sorted. */
  readonly deleted?: readonly string[];
  /** Events `Marking for deletion`; by default one per deleted pod. */
  readonly marked?: number;
  /** Events `Cancelling deletion`; fewer are possible if a later version of an object is reported first. */
  readonly cancelled?: number;
  /** Pods to be evicted, with their seconds after `t0`. */
  readonly planned?: Readonly<Record<string, number>>;
  /** Verdicts that cannot be reached. */
  readonly unknown?: readonly string[];
  /** Why pods will be evicted: `rule <name>` or `slice <name> <device>/<index>`. Unchecked where left out. */
  readonly reasons?: Readonly<Record<string, readonly string[]>>;
  /** By rule: `<status> <reason>: <message>`. Unchecked where left out. */
  readonly conditions?: Readonly<Record<string, string>>;
  /** How often each rule's condition was written. Unchecked where left out. */
  readonly conditionWrites?: Readonly<Record<string, number>>;
  /** Calls for pods, in order. Unchecked where left out. */
  readonly calls?: readonly string[];
  /** Milliseconds from due to deleted. Unchecked where left out. */
  readonly durations?: readonly number[];
  /** Pools as `<driver>|<pool>@<generation>`, sorted. Unchecked where left out. */
  readonly pools?: readonly string[];
  /** Nothing is left to do at any time. Unchecked where left out. */
  readonly idle?: true;
}

export interface Step {
  /** Reported in every order. */
  readonly events?: readonly Event[];
  /** Changes at the API server that the watch does not report (yet). */
  readonly unseen?: readonly Event[];
  /** Changes between the next PATCH and its DELETE that the watch does not report. */
  readonly afterMark?: readonly Event[];
  /** Answers of the API server instead of the next calls. */
  readonly failures?: readonly ApiFailure[];
  /** How long each DELETE of this step takes, ms. */
  readonly deleteTakes?: number;
  /** Every object is listed again, as after a restart. */
  readonly relist?: true;
  /** Seconds that pass after the changes; by default none, and only what is due at once is done. */
  readonly advance?: number;
  /** No eviction is carried out in this step: changes arrive faster than they are processed. */
  readonly held?: true;
  readonly expect: Expectation;
}

export interface History {
  readonly kind: 'History';
  /** `row-078 empty-selector`, a row of the in-tree controller's edge cases (docs/reference/rules.md), or a name of its own. */
  readonly name: string;
  readonly settings?: Partial<Settings>;
  /** Pods that stay terminating after their deletion because of a finalizer. */
  readonly finalized?: readonly string[];
  /** Reported once, in order, before the steps. */
  readonly given?: readonly ObjectProjection[];
  readonly steps: readonly Step[];
  /** Only played in the given order: a history too long for permutations. */
  readonly once?: true;
}

/** Whether one toleration tolerates one taint, by the rules that the scheduler shares. */
export interface TolerationCase {
  readonly kind: 'Toleration';
  readonly name: string;
  readonly toleration: DeviceToleration;
  readonly taint: DeviceTaint;
  readonly tolerated: boolean;
}

export type Scenario = History | TolerationCase;

export function history(name: string, of: Omit<History, 'kind' | 'name'>): History {
  return { kind: 'History', name, ...of };
}
