// The result of storing one object: the pods that it can affect, and the work that is still owed.
import type { LimiterId } from '../../model/eviction.ts';
import type { ClaimProblem, ResourceClaim } from '../../model/objects.ts';
import type { RuleRef } from '../../model/rule.ts';
import type { EventToRecord } from '../../model/status.ts';
import type { Instant } from '../../model/time.ts';
import type { FanOut } from '../../state/fanOutRows.ts';
import type { Reach, ReachedPage } from '../../state/reach.ts';
import type { DirtyRow, ObjectRow } from '../../state/state.ts';
import type { ReportWalk } from '../../steps/reportWalk.ts';
import type { Key } from '../../table.ts';

export interface DirtyRule {
  readonly ref: RuleRef;
  readonly epoch: string;
  /** The limiters at which its pods will be listed. */
  readonly limiters: readonly LimiterId[];
}

/** The first page of a fan-out, or of its continuation. */
export interface FirstPage {
  readonly fanOut: FanOut;
  readonly page: ReachedPage;
}

/** The work that a stored change requires. */
export interface Applied {
  /** `namespace/name` of every pod whose verdict may have changed. */
  readonly pods: readonly string[];
  /** Further pods, found page by page. */
  readonly reaches?: readonly Reach[];
  /** Their first page, where the search started as soon as the object was stored. */
  readonly first?: Promise<FirstPage>;
  /** The row to mark clean once those pods are evaluated, or handed to a fan-out. */
  readonly dirty?: { readonly key: Key; readonly row: ObjectRow<unknown>; readonly again?: Instant };
  /** A rule whose condition needs writing. */
  readonly rule?: DirtyRule;
  /** Limiters whose rate may have changed while their pods have not. */
  readonly repaced?: readonly LimiterId[];
  /** Rules whose status may need an update. */
  readonly reports?: readonly RuleRef[];
  /** The walk that requests this change's reports in parts. */
  readonly reportWalk?: ReportWalk;
  /** Problems of claims, to be recorded as Events. */
  readonly problems?: readonly { readonly claim: ResourceClaim; readonly problem: ClaimProblem }[];
  /** Other Events to record. */
  readonly events?: readonly EventToRecord[];
  /** A driver whose published devices have changed. */
  readonly driver?: string;
}

/** Finds what a stored object affects; called after it is stored. */
export type FindTouched = () => Promise<Applied>;

export function owed(key: Key, row: DirtyRow<unknown, string | boolean | readonly unknown[]>): Pick<Applied, 'dirty'> {
  return row.dirty && (row.dirty === true || row.dirty.length > 0) ? { dirty: { key, row } } : {};
}
