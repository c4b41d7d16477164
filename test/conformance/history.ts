// What a random history is: a small cluster of slices, rules, claims and pods, and the changes that happen to it one by one.

/** Index into two drivers, two pools and two devices, so that objects meet. */
export interface Place {
  readonly driver: number;
  readonly pool: number;
  readonly device: number;
}

/**
 * When a taint was added, in seconds: against the start of the batch, or against the moment of the change (`soon`, in last
 * changes only, so that no later change races with a time that comes).
 */
export type Added = { readonly from: 'start' | 'soon'; readonly seconds: number } | { readonly from: 'server' };

export interface TaintSpec {
  readonly key: string;
  readonly value?: string;
  readonly effect: 'NoExecute' | 'NoSchedule' | 'None';
  readonly added: Added;
}

export interface TolerationSpec {
  readonly key?: string;
  readonly operator: 'Exists' | 'Equal';
  readonly value?: string;
  readonly effect?: 'NoExecute' | 'NoSchedule';
  readonly tolerationSeconds?: number;
}

export interface SliceSpec {
  readonly generation: number;
  /** Taints of each device that the slice publishes. */
  readonly devices: readonly (readonly TaintSpec[])[];
}

export interface RuleSpec {
  /** Absent: selects nothing. With no field: everything, and the history is played alone. */
  readonly selector?: { readonly driver?: number; readonly pool?: number; readonly device?: number };
  readonly taint: TaintSpec;
}

export interface ResultSpec extends Place {
  /** Besides those who use the device. */
  readonly adminAccess?: true;
  /** One of several allocations of a device that can be shared. */
  readonly share?: number;
  readonly tolerations: readonly TolerationSpec[];
}

export type Consumer =
  | { readonly kind: 'Pod'; readonly pod: number }
  /** A pod that has gone, or another of the same name. */
  | { readonly kind: 'Stranger'; readonly pod: number }
  | { readonly kind: 'PodGroup'; readonly group: number }
  | { readonly kind: 'Job' };

export interface ClaimState {
  /** Absent: not allocated, and reserved for none. */
  readonly results?: readonly ResultSpec[];
  readonly reservedFor: readonly Consumer[];
}

export interface ClaimSpec extends ClaimState {
  /** Controller, as of a claim made from a template. */
  readonly owner?: { readonly kind: 'Pod' | 'Other' | 'PodGroup'; readonly of: number };
}

export interface ReferenceSpec {
  readonly claim: number;
  /**
   * `unset`: the pod's status has no entry yet; `none`: the template needs no claim; `extended`: the claim that the scheduler made
   * for the extended resource of the pod's container, the first of them only.
   */
  readonly by: 'name' | 'template' | 'unset' | 'none' | 'extended';
}

export interface PodSpec {
  readonly references: readonly ReferenceSpec[];
  readonly group?: number;
  readonly bound: boolean;
}

export interface WorldSpec {
  readonly slices: readonly (SliceSpec | undefined)[];
  readonly rules: readonly (RuleSpec | undefined)[];
  readonly claims: readonly ClaimSpec[];
  readonly pods: readonly PodSpec[];
}

export type Change =
  | { readonly kind: 'Slice'; readonly of: number; readonly spec?: SliceSpec }
  | { readonly kind: 'Rule'; readonly of: number; readonly spec?: RuleSpec }
  | { readonly kind: 'Claim'; readonly of: number; readonly state: ClaimState }
  /** Deleted and created again under its name. */
  | { readonly kind: 'ClaimAgain'; readonly of: number }
  | { readonly kind: 'ClaimGone'; readonly of: number }
  | { readonly kind: 'Bind'; readonly of: number }
  /** A user's DELETE: the pod stays, terminating. */
  | { readonly kind: 'PodDeleted'; readonly of: number }
  /** Gone without grace, and created again under its name. */
  | { readonly kind: 'PodAgain'; readonly of: number; readonly bound: boolean };

export interface History {
  readonly world: WorldSpec;
  readonly changes: readonly Change[];
}

/** Slices 0 to 3 have a pool each; 4 and 5 share the pools of 0 and 3, in even generations where those have odd ones. */
export const sliceHomes: readonly (readonly [driver: number, pool: number])[] = [
  [0, 0],
  [0, 1],
  [1, 0],
  [1, 1],
  [0, 0],
  [1, 1],
];

/** The last pod and the last claim live in a namespace of their own. */
export function namespaceOf(index: number): 'a' | 'b' {
  return index === 3 ? 'b' : 'a';
}

/** An empty selector reaches the objects of every other history. */
export function isAlone({ world, changes }: History): boolean {
  const rules = [...world.rules, ...changes.map((change) => (change.kind === 'Rule' ? change.spec : undefined))];
  return rules.some((rule) => rule?.selector && Object.keys(rule.selector).length === 0);
}
