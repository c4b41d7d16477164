// What a scenario is: a history of changes in steps, and what shows after each of them.
import type { DeviceTaint, DeviceToleration } from '../../lib/model/objects.ts';
import type { ObjectProjection } from '../../lib/model/projection.ts';
import type { Settings } from '../../lib/model/snapshot.ts';
import type { ApiFailure } from '../../lib/ports.ts';

/** What happened to one object, in the order of the API server; the watch may tell it in any other. */
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
  /** Events `Cancelling deletion`; an order that shows an object's later version first may show fewer. */
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
  /** Nothing is left to be done at any time. Unchecked where left out. */
  readonly idle?: true;
}

export interface Step {
  /** Told in every order. */
  readonly events?: readonly Event[];
  /** Happens at the API server and is not told by the watch (yet). */
  readonly unseen?: readonly Event[];
  /** Happens unseen between the next PATCH and its DELETE. */
  readonly afterMark?: readonly Event[];
  /** Answers of the API server instead of the next calls. */
  readonly failures?: readonly ApiFailure[];
  /** How long each DELETE of this step takes, ms. */
  readonly deleteTakes?: number;
  /** Every object is listed again, as after a restart. */
  readonly relist?: true;
  /** Seconds that pass after the changes; by default what is due at once is done and no time passes. */
  readonly advance?: number;
  /** Nothing is carried out in this step: changes arrive faster than work is done. */
  readonly held?: true;
  readonly expect: Expectation;
}

export interface History {
  readonly kind: 'History';
  /** `row-078 empty-selector`, a row of the in-tree controller's edge cases (docs/reference/rules.md), or a name of its own. */
  readonly name: string;
  readonly settings?: Partial<Settings>;
  /** Pods whose finalizer holds them back after their deletion. */
  readonly finalized?: readonly string[];
  /** Told once, in order, before the steps. */
  readonly given?: readonly ObjectProjection[];
  readonly steps: readonly Step[];
  /** Only in the order given: a history too long for permutations. */
  readonly once?: true;
}

/** Whether one toleration holds off one taint, by the match that the scheduler shares. */
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
