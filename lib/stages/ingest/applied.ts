// What storing one object asks for: the pods that it can touch, and what is owed to them.
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
  /** At which its pods will be listed. */
  readonly limiters: readonly LimiterId[];
}

/** Where a fan-out begins, or continues. */
export interface FirstPage {
  readonly fanOut: FanOut;
  readonly page: ReachedPage;
}

/** What a stored change asks for. */
export interface Applied {
  /** `namespace/name` of every pod whose verdict may have moved. */
  readonly pods: readonly string[];
  /** And of whom else, to be found a page at a time. */
  readonly reaches?: readonly Reach[];
  /** The first of them, where they were looked for as soon as the object was stored. */
  readonly first?: Promise<FirstPage>;
  /** The row to mark clean once those pods are evaluated, or chunks of a fan-out. */
  readonly dirty?: { readonly key: Key; readonly row: ObjectRow<unknown>; readonly again?: Instant };
  /** A rule whose condition needs writing. */
  readonly rule?: DirtyRule;
  /** Limiters whose pace may have changed while their pods have not. */
  readonly repaced?: readonly LimiterId[];
  /** Rules whose status may have to say something else. */
  readonly reports?: readonly RuleRef[];
  /** A change whose reports are asked for a part at a time. */
  readonly reportWalk?: ReportWalk;
  /** What is wrong with a claim, to be told in an Event. */
  readonly problems?: readonly { readonly claim: ResourceClaim; readonly problem: ClaimProblem }[];
  /** What else Events say. */
  readonly events?: readonly EventToRecord[];
  /** A driver whose published devices have changed. */
  readonly driver?: string;
}

/** What a stored object touches, looked up after it is stored. */
export type FindTouched = () => Promise<Applied>;

export function owed(key: Key, row: DirtyRow<unknown, string | boolean | readonly unknown[]>): Pick<Applied, 'dirty'> {
  return row.dirty && (row.dirty === true || row.dirty.length > 0) ? { dirty: { key, row } } : {};
}
